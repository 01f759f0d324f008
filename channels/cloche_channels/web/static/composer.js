// Where a message is written: words, files by button, drag and paste, and commands.

import { byId, element, icon, say, speak, trouble } from "./dom.js";
import { askJson, post, reason } from "./server.js";

const DRAFT = "cloche-draft"; // what is written and not sent yet, for a page that is loaded anew
const CROSS = "M6 6l12 12M18 6L6 18";

export function startComposer(hello, talk) {
  const [words, list, menu] = [byId("words"), byId("files"), byId("commands")];
  let files = []; // {id, name, type, chip}
  let commands = [];
  let chosen = 0;
  let unsent = null; // what could not be sent, with its id: sent again it is the same message

  const complain = (key, slots = {}) => trouble(byId("trouble"), key ? say(key, slots) : "");
  const fit = () => {
    sessionStorage.setItem(DRAFT, words.value);
    if (byId("chat").hidden) return; // has no height yet
    words.style.height = "auto";
    words.style.height = `${words.scrollHeight}px`;
  };

  async function utter(text, added = [], label = "") {
    const ids = added.map(({ id }) => id);
    const same = unsent && unsent.text === text && String(unsent.files) === String(ids);
    const language = document.documentElement.lang;
    const message = same ? unsent : { id: crypto.randomUUID(), text, files: ids, language, label };
    unsent = message;
    try {
      await post("/api/messages", message);
    } catch (error) {
      if (error.code === "file") clearFiles();
      complain(reason(error, "error_sending"));
      return false;
    }
    unsent = null;
    complain("");
    talk.sent();
    return true;
  }

  async function send() {
    const text = words.value;
    if (!text.trim() && !files.length) return complain("error_empty");
    closeMenu();
    const sending = files;
    words.value = "";
    fit();
    if (await utter(text, sending)) {
      files = files.filter((one) => !sending.includes(one));
      showFiles();
    } else {
      words.value = words.value ? `${text}\n${words.value}` : text;
      fit();
    }
    return words.focus();
  }

  function clearFiles() {
    files = [];
    showFiles();
  }

  function showFiles() {
    list.replaceChildren(...files.map(({ chip }) => chip));
    list.hidden = files.length === 0;
  }

  async function add(given) {
    const refused = []; // one sentence for each file, so that none goes without a word
    const refuse = (key, slots) => {
      refused.push(say(key, slots));
      trouble(byId("trouble"), refused.join(" "));
    };
    complain("");
    for (const file of given) {
      if (files.length >= hello.files) {
        refuse("error_files", { count: hello.files });
        break;
      }
      const name = file.name || say("picture");
      const slots = { name, limit: Math.floor(hello.fileBytes / 1e6) };
      if (file.size > hello.fileBytes) {
        refuse("error_file_large", slots);
        continue;
      }
      try {
        const path = `/api/files?name=${encodeURIComponent(name)}`;
        const { id, type } = await askJson(path, {
          method: "POST",
          headers: { "Content-Type": "application/octet-stream" },
          body: file,
        });
        talk.keep(id, file);
        const one = { id, name, type };
        one.chip = chipOf(one, URL.createObjectURL(file));
        files.push(one);
        showFiles();
      } catch (error) {
        refuse(reason(error, "connection"), slots);
      }
    }
    return words.focus();
  }

  function chipOf(one, address) {
    const remove = element(
      "button",
      {
        type: "button",
        "aria-label": say("remove_file", { name: one.name }),
        title: say("remove_file", { name: one.name }),
        onclick: () => {
          files = files.filter((other) => other !== one);
          showFiles();
          words.focus();
        },
      },
      icon(CROSS),
    );
    if (!one.type.startsWith("image/")) {
      return element("li", { className: "named" }, element("span", { dir: "auto" }, one.name), remove);
    }
    const picture = element("img", { alt: one.name, src: address ?? "" });
    return element("li", {}, picture, remove);
  }

  function suggest() {
    const written = /^[/／](\S*)$/.exec(words.value)?.[1];
    const known = hello.commands[document.documentElement.lang] ?? hello.commands.en ?? [];
    commands = written === undefined ? [] : known.filter(([name]) => name.startsWith(written));
    chosen = 0;
    showMenu();
  }

  function showMenu() {
    menu.hidden = commands.length === 0;
    menu.replaceChildren(
      ...commands.map(([name, clause], index) =>
        element(
          "li",
          {
            id: `command-${index}`,
            role: "option",
            "aria-selected": String(index === chosen),
            onmousedown: (event) => {
              event.preventDefault();
              complete(index);
            },
          },
          element("strong", {}, `/${name}`),
          element("span", { dir: "auto" }, clause),
        ),
      ),
    );
    // A field for text, which opens a list while a command is written.
    const open = {
      role: "combobox",
      "aria-expanded": "true",
      "aria-haspopup": "listbox",
      "aria-controls": "commands",
      "aria-activedescendant": `command-${chosen}`,
    };
    for (const [name, value] of Object.entries(open)) {
      if (menu.hidden) words.removeAttribute(name);
      else words.setAttribute(name, value);
    }
    menu.children[chosen]?.scrollIntoView({ block: "nearest" });
  }

  function closeMenu() {
    commands = [];
    showMenu();
  }

  function complete(index) {
    words.value = `/${commands[index][0]} `;
    closeMenu();
    words.focus();
  }

  /** Keys of the open menu; whether one was. */
  function inMenu(event) {
    if (!commands.length) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const whole = words.value.slice(1) === commands[chosen][0];
    if (step) {
      chosen = (chosen + step + commands.length) % commands.length;
      showMenu();
    } else if (event.key === "Tab" || (event.key === "Enter" && !whole)) complete(chosen);
    else if (event.key === "Escape") closeMenu();
    else return false;
    return true;
  }

  words.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return; // Enter ends a word being composed
    if (inMenu(event)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void send();
    }
  });
  words.addEventListener("input", () => {
    fit();
    suggest();
  });
  words.addEventListener("blur", closeMenu);
  words.addEventListener("paste", (event) => {
    const pasted = [...event.clipboardData.files];
    if (!pasted.length) return;
    event.preventDefault();
    void add(pasted);
  });

  byId("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
  byId("attach").addEventListener("click", () => byId("pick").click());
  byId("pick").addEventListener("change", async (event) => {
    const picked = [...event.target.files];
    event.target.value = "";
    await add(picked);
  });
  byId("anew").addEventListener("click", async () => {
    if (await utter("/new")) talk.renew();
    words.focus();
  });

  /** Stop the answer; where none is written, what waits comes back to be changed or dropped. */
  async function stop() {
    try {
      const back = await post("/api/stop");
      if (!back.words && !back.files.length) return;
      words.value = [back.words, words.value].filter(Boolean).join("\n");
      for (const one of back.files) {
        const address = one.type.startsWith("image/") ? await talk.source(one.id) : null;
        const chip = { ...one };
        chip.chip = chipOf(chip, address);
        files.push(chip);
      }
      showFiles();
      fit();
      speak(say("taken_back"));
      words.focus();
    } catch (error) {
      complain(reason(error, "connection"));
    }
  }
  byId("stop").addEventListener("click", async () => {
    await stop();
    words.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || byId("chat").hidden || byId("stop").hidden) return;
    void stop();
  });

  words.value = words.value || (sessionStorage.getItem(DRAFT) ?? "");
  fit();
  dropOn(document, add);
  return {
    say: (text, label) => utter(text, [], label),
    focus: () => words.focus(),
    fit,
    busy(is) {
      byId("stop").hidden = !is;
    },
    reword() {
      words.setAttribute("aria-label", say("write", { name: hello.persona }));
      words.placeholder = say("write", { name: hello.persona });
    },
  };
}

/** Take files that are dropped anywhere on the page, and nothing else. */
function dropOn(target, take) {
  const veil = byId("drop");
  const carries = (event) => event.dataTransfer?.types.includes("Files");
  const here = (event) => carries(event) && !byId("chat").hidden;
  target.addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault(); // or the browser would open the file in place of the page
    veil.hidden = !here(event);
  });
  target.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) veil.hidden = true;
  });
  target.addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    veil.hidden = true;
    if (here(event)) void take([...event.dataTransfer.files]);
  });
}
