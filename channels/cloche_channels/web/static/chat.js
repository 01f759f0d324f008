// The talk: what was said, and the answer while it is being written.

import { startComposer } from "./composer.js";
import { byId, element, moment, rebuild, say, seen, speak, trouble } from "./dom.js";
import { ask, follow, reason } from "./server.js";

const NEAR = 120; // pixels from the end within which the page keeps to the end
const PAUSE = 30 * 60 * 1000; // after so long a silence the time is shown
const RETRIES = [500, 1000, 2000, 5000];

export function startChat(hello, lock) {
  const [log, scroll, banner] = [byId("log"), byId("scroll"), byId("banner")];
  const shown = new Map(); // id -> what stands for the item
  const pictures = new Map(); // id of a file -> address of its bytes in this page
  let following = null;
  let remembering = false; // whether what waits, waits for memory

  const composer = startComposer(hello, {
    sent: () => toEnd(),
    source,
    keep: (id, file) => pictures.set(id, URL.createObjectURL(file)),
    renew: () => setTimeout(() => following?.abort(), 400),
  });

  const atEnd = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR;
  const toEnd = () => scroll.scrollTo({ top: scroll.scrollHeight });

  let kept = true; // whether the newest message is in sight
  scroll.addEventListener("scroll", () => {
    kept = atEnd();
    byId("latest").hidden = kept;
  });
  new ResizeObserver(() => {
    if (kept) toEnd(); // a field that grows does not cover what was said last
  }).observe(scroll);
  byId("latest").addEventListener("click", () => {
    toEnd();
    composer.focus();
  });

  function tell(line) {
    const keep = atEnd() || shown.size === 0;
    const top = scroll.scrollTop;
    trouble(banner, line.away ? say("memory_away") : "");
    remembering = line.remembering ?? remembering;
    if (line.anew) {
      log.replaceChildren();
      shown.clear();
    }
    for (const item of line.items) {
      const before = shown.get(item.id);
      const ended = !item.own && item.state === "done" && before?.item.state !== "done";
      draw(item, before);
      if (ended && !line.anew) speak(`${hello.persona}: ${shown.get(item.id).body.textContent}`);
      if (!before && item.state === "writing" && !line.anew) {
        speak(say("writing", { name: hello.persona }));
      }
    }
    const states = [...shown.values()].map(({ item }) => item.state);
    composer.busy(states.some((state) => state === "waiting" || state === "writing"));
    byId("hello").hidden = shown.size > 0;
    if (keep) toEnd();
    else if (line.anew) scroll.scrollTo({ top }); // what somebody reads stays in sight
    byId("latest").hidden = atEnd();
  }

  function draw(item, before) {
    const place = before ?? placeFor(item);
    place.item = item;
    shown.set(item.id, place);
    place.row.dataset.state = item.state;
    if (item.own) place.body.textContent = item.text;
    else place.written = rebuild(place.body, item.body, place.written);
    place.note.textContent = note(item);
    place.note.hidden = !place.note.textContent;
    place.row.setAttribute("aria-busy", String(item.state === "writing"));
    place.choices.replaceChildren(
      ...item.buttons.map(({ label, data }) =>
        element("button", { type: "button", dir: "auto", onclick: () => composer.say(data, label) }, label),
      ),
    );
    place.choices.hidden = item.buttons.length === 0;
    place.given.replaceChildren(...item.given.map(offered));
    place.given.hidden = item.given.length === 0;
  }

  /** A file to be saved; its bytes are asked for with the session's token. */
  function offered({ key, name }) {
    const save = async () => {
      try {
        const response = await ask(`/api/kept?${new URLSearchParams({ key })}`);
        const address = URL.createObjectURL(await response.blob());
        element("a", { href: address, download: name }).click();
        setTimeout(() => URL.revokeObjectURL(address), 60_000);
        trouble(byId("trouble"), "");
      } catch (error) {
        if (error.status === 401) lock();
        else trouble(byId("trouble"), say(reason(error, "connection")));
      }
    };
    const label = say("save_file", { name });
    return element("button", { type: "button", dir: "auto", onclick: save, title: label }, name);
  }

  function note(item) {
    if (item.own && item.state === "waiting") return say(remembering ? "remembering" : "waiting");
    if (item.own) return "";
    if (item.state === "writing" && !item.body.length) {
      return say("writing", { name: hello.persona });
    }
    return ["stopped", "unanswered"].includes(item.state) ? say(item.state) : "";
  }

  /** A place in the log for an item that is new; the time stands above it after a silence. */
  function placeFor(item) {
    const last = [...shown.values()].at(-1)?.item;
    const author = item.own ? say("you") : hello.persona;
    const body = element("div", { className: "body", dir: "auto" });
    const hint = element("p", { className: "note" });
    const choices = element("div", { className: "buttons" });
    const given = element("div", { className: "buttons given" });
    const row = element(
      "li",
      { className: item.own ? "own" : "theirs" },
      element("h3", { className: "unseen", dir: "auto" }, author),
      ...filesShown(item.files),
      body,
      hint,
      given,
      choices,
    );
    row.title = moment(item.at);
    if (!last || new Date(item.at) - new Date(last.at) > PAUSE) {
      const time = element("time", { dateTime: item.at }, moment(item.at));
      log.append(element("li", { className: "time" }, time));
    }
    log.append(row);
    return { item, row, body, note: hint, given, choices, written: [] };
  }

  /** Pictures side by side, other files by their names. */
  function filesShown(files) {
    const shownFiles = files.map(fileShown);
    const images = shownFiles.filter((one) => one.tagName === "IMG");
    const named = shownFiles.filter((one) => one.tagName !== "IMG");
    if (images.length < 2) return shownFiles;
    return [element("div", { className: "pictures" }, ...images), ...named];
  }

  function fileShown({ id, name, type }) {
    if (!type.startsWith("image/")) {
      return element("p", { className: "file", dir: "auto" }, name || say("picture"));
    }
    const picture = element("img", { className: "picture", alt: name || say("picture") });
    picture.addEventListener("load", () => toEnd(), { once: true });
    void source(id).then((address) => {
      if (address) picture.src = address;
    });
    return picture;
  }

  /** A picture's bytes are asked for with the session's token: no address alone gives them. */
  async function source(id) {
    if (!pictures.has(id)) {
      const response = await ask(`/api/files/${id}`).catch(() => null);
      if (response) pictures.set(id, URL.createObjectURL(await response.blob()));
    }
    return pictures.get(id);
  }

  /** Follow the talk while the page is seen: a browser has six connections for all its tabs. */
  async function keepFollowing() {
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) following?.abort();
    });
    for (let failed = 0; ; ) {
      await seen();
      following = new AbortController();
      try {
        await follow(
          "/api/talk",
          (line) => {
            failed = 0;
            tell(line);
          },
          following.signal,
        );
      } catch (error) {
        if (error.status === 401) return lock();
        if (following.signal.aborted) continue;
      }
      trouble(banner, say("connection"));
      await new Promise((then) =>
        setTimeout(then, RETRIES[Math.min(failed, RETRIES.length - 1)]),
      );
      failed += 1;
    }
  }

  void keepFollowing();
  return {
    open(focus) {
      composer.fit();
      toEnd();
      if (focus || matchMedia("(hover: hover)").matches) composer.focus();
    },
    reword(code) {
      scroll.setAttribute("aria-label", say("talk"));
      composer.reword(code);
      for (const place of shown.values()) {
        place.note.textContent = note(place.item);
        place.row.querySelector("h3").textContent = place.item.own ? say("you") : hello.persona;
      }
    },
  };
}
