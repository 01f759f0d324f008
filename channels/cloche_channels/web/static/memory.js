// What the assistant knows: shown by where it belongs and what it is about, searched and mended.

import { confirmed } from "./confirm.js";
import { byId, day, element, knows, lang, say, speak, trouble } from "./dom.js";
import { ask, askJson, post, reason } from "./server.js";

const WAIT = 250; // milliseconds after the last letter of a search

export function startMemory(lock) {
  const [find, past, place] = [byId("find"), byId("past"), byId("records")];
  let records = [];
  let total = 0;
  const editing = new Map(); // id of a record -> what stands for it while it is corrected
  let asked = 0;
  let timer = 0;
  let drawn = null; // the words that what is shown was searched by

  const complain = (key) => trouble(byId("memory-trouble"), key ? say(key) : "");

  function failed(error) {
    if (error.status === 401) lock();
    else complain(reason(error, "connection"));
  }

  async function load() {
    const mine = (asked += 1);
    const query = new URLSearchParams({
      words: find.value,
      past: past.checked ? "1" : "",
      language: lang(),
    });
    try {
      const found = await askJson(`/api/memory?${query}`);
      if (mine !== asked) return; // an older question's answer came late
      complain("");
      const same = JSON.stringify([found.records, found.total]) === JSON.stringify([records, total]);
      if (same && drawn === find.value.trim()) return; // what has the focus keeps it
      [records, total] = [found.records, found.total];
      draw();
    } catch (error) {
      failed(error);
    }
  }

  function draw() {
    const words = find.value.trim();
    const counted = words ? "count_found" : "count";
    byId("count").textContent = records.length ? say(counted, { count: records.length, total }) : "";
    const none = words ? say("nothing_found", { text: words }) : say("empty");
    byId("memory-empty").textContent = records.length ? "" : none;
    past.disabled = Boolean(words);
    drawn = words;
    const focused = document.activeElement;
    place.replaceChildren(...(words ? [listOf(records)] : sections()));
    // What is being corrected stays, whatever else is looked for meanwhile.
    const rest = [...editing.values()].filter(({ item }) => !item.isConnected);
    if (rest.length) {
      place.prepend(element("ul", { className: "records" }, ...rest.map(({ item }) => item)));
    }
    if (focused?.isConnected && place.contains(focused)) focused.focus();
  }

  /** One section per place a memory belongs to; in it, one part per key of its tags. */
  function sections() {
    return [...grouped(records, (one) => one.scope)].map(([scope, inScope], index) => {
      const parts = [...grouped(inScope, (one) => one.tags[0]?.[0] ?? "")].sort(
        ([one], [other]) => Number(!one) - Number(!other) || one.localeCompare(other),
      );
      const heading = element("h3", { id: `scope-${index}`, dir: "auto" }, scopeName(scope));
      const section = element("section", { className: "scope" }, heading);
      section.setAttribute("aria-labelledby", heading.id);
      for (const [key, inPart] of parts) {
        if (parts.length > 1 || key) {
          section.append(element("h4", { dir: "auto" }, key || say("other")));
        }
        section.append(listOf(inPart));
      }
      return section;
    });
  }

  const listOf = (some) => element("ul", { className: "records" }, ...some.map(row));

  function row(one) {
    const open = editing.get(one.id);
    if (open) return open.item;
    const item = element("li", { className: one.past ? "record past" : "record" });
    const about = one.subject && !one.text.toLowerCase().startsWith(one.subject.toLowerCase());
    const told = one.quote && one.quote.trim() === one.text.trim();
    item.append(element("p", { className: "statement", dir: "auto" }, one.text));
    if (one.quote && !told) {
      const quote = element("blockquote", { dir: "auto" }, one.quote);
      item.append(element("p", { className: "quote" }, `${say("quote")}: `, quote));
    }
    const facts = [
      say(`kind_${one.kind}`),
      about ? say("about", { name: one.subject }) : "",
      told ? say("told") : "",
      say("said", { day: day(one.said_at) }),
      one.until ? say(one.past ? "ended" : "until", { day: day(one.until) }) : "",
      one.stated ? "" : say("inferred"),
      one.past && !one.until ? say("was") : "",
    ];
    const meta = element("p", { className: "facts", dir: "auto" });
    meta.append(...facts.filter(Boolean).map((fact) => element("span", {}, fact)));
    const tags = one.tags.map(([key, label]) =>
      element("li", { title: key, dir: "auto" }, element("span", { className: "unseen" }, `${key}: `), label),
    );
    item.append(meta);
    if (tags.length) item.append(element("ul", { className: "tags" }, ...tags));
    item.append(actions(one, item));
    return item;
  }

  function actions(one, item) {
    const told = element("p", { className: "why", dir: "auto", hidden: true });
    const why = element("button", { type: "button", className: "quiet" }, say("why"));
    why.setAttribute("aria-expanded", "false");
    why.addEventListener("click", async () => {
      if (told.hidden && !told.textContent) {
        try {
          told.textContent = (await askJson(`/api/memory/${one.id}/why?language=${lang()}`)).text;
        } catch (error) {
          return failed(error);
        }
      }
      told.hidden = !told.hidden;
      why.setAttribute("aria-expanded", String(!told.hidden));
      why.textContent = say(told.hidden ? "why" : "why_hide");
      if (!told.hidden) speak(told.textContent);
    });
    const correct = element("button", { type: "button", className: "quiet" }, say("correct"));
    correct.addEventListener("click", () => edit(one, item));
    const forget = element("button", { type: "button", className: "quiet" }, say("forget"));
    forget.addEventListener("click", () => askToForget(one, forget));
    const buttons = element("div", { className: "actions" }, why);
    if (!one.past) buttons.append(correct);
    buttons.append(forget);
    for (const button of buttons.children) {
      button.setAttribute("aria-label", `${button.textContent}: ${one.text}`);
    }
    return element("div", {}, told, buttons);
  }

  function edit(one, item, text = one.text) {
    const field = element("textarea", { value: text, rows: 3, dir: "auto", maxLength: 4000 });
    field.setAttribute("aria-label", say("correct_text"));
    const wrong = element("p", { className: "trouble", role: "alert", hidden: true });
    const save = element("button", { type: "submit", className: "filled" }, say("correct_save"));
    const back = element("button", { type: "button", className: "quiet" }, say("cancel"));
    const buttons = element("div", { className: "actions" }, save, back);
    const form = element("form", { className: "edit" }, field, wrong, buttons);
    const close = () => {
      editing.delete(one.id);
      const again = row(one);
      item.replaceWith(again);
      again.querySelector(".actions button:nth-child(2)")?.focus();
    };
    back.addEventListener("click", close);
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        await post(`/api/memory/${one.id}/correct`, { text: field.value });
      } catch (error) {
        trouble(wrong, say(reason(error, "connection")));
        return;
      }
      editing.delete(one.id);
      await load();
      speak(say("corrected"));
      byId("memory-title").focus();
    });
    item.replaceChildren(form);
    editing.set(one.id, { one, item, field });
    field.focus();
  }

  async function askToForget(one, asking) {
    const sure = await confirmed(asking, {
      title: say("forget_title"),
      what: one.text,
      text: say("forget_text"),
      no: say("cancel"),
      yes: say("forget"),
    });
    if (!sure) return;
    try {
      await post(`/api/memory/${one.id}/forget`);
      editing.delete(one.id);
      await load();
      speak(say("forgotten"));
      byId("memory-title").focus();
    } catch (error) {
      failed(error);
    }
  }

  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    void load();
  });
  find.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(load, WAIT);
  });
  past.addEventListener("change", load);
  byId("export").addEventListener("click", async () => {
    try {
      const address = URL.createObjectURL(await (await ask("/api/export")).blob());
      const name = `memory-${new Date().toISOString().slice(0, 10)}.jsonl`;
      element("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    } catch (error) {
      failed(error);
    }
  });

  return {
    open(focus) {
      if (focus) byId("memory-title").focus();
      void load();
    },
    refresh: load,
    reword() {
      if (drawn === null) return; // not looked at yet
      for (const { one, item, field } of editing.values()) edit(one, item, field.value);
      draw();
      void load(); // what keys and values are called
    },
  };
}

function scopeName(scope) {
  const [name, ...key] = scope.split(": ");
  const known = knows(`scope_${name}`) ? say(`scope_${name}`) : name.replaceAll("_", " ");
  return key.length ? `${known}: ${key.join(": ")}` : known;
}

function grouped(some, by) {
  const groups = new Map();
  for (const one of some) groups.set(by(one), [...(groups.get(by(one)) ?? []), one]);
  return groups;
}
