// Elements and words. Nothing here or elsewhere makes markup of a text: the policy of the page
// (Trusted Types) would refuse it.

const TAGS = new Set(
  "p h3 h4 h5 h6 strong em s code pre blockquote ul ol li table thead tbody tr th td a br hr".split(
    " ",
  ),
);
const ADDRESSES = new Set(["http:", "https:", "mailto:"]);
const SVG = "http://www.w3.org/2000/svg";

let texts = {};
let language = "en";

export const byId = (id) => document.getElementById(id);

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** Texts and elements of a tree the server made of Markdown; a tag it should not have is text. */
export function build(nodes) {
  return nodes.map((node) => {
    if (typeof node === "string") return document.createTextNode(node);
    const [tag, attributes, ...children] = node;
    if (!TAGS.has(tag)) return document.createTextNode(children.flat(Infinity).join(""));
    if (tag === "a" && !leadsElsewhere(attributes.href)) {
      return element("span", {}, ...build(children));
    }
    const made = element(tag, { dir: tag === "br" || tag === "hr" ? "" : "auto" });
    if (tag === "a") {
      made.href = attributes.href;
      made.title = attributes.href;
      made.rel = "noopener noreferrer nofollow";
      made.target = "_blank";
    }
    if (tag === "ol" && attributes.start) made.start = Number(attributes.start);
    if (attributes.align) made.className = `align-${attributes.align}`;
    if (tag === "pre") {
      // Code that is wider than the page is scrolled, with the keyboard too.
      made.tabIndex = 0;
      made.dir = "ltr";
      made.append(element("code", {}, ...build(children)));
    } else made.append(...build(children));
    return tag === "table" ? element("div", { className: "wide", tabIndex: 0 }, made) : made;
  });
}

function leadsElsewhere(href) {
  try {
    return ADDRESSES.has(new URL(href).protocol);
  } catch {
    return false;
  }
}

/** Replace what a node holds by a tree, but leave what is the same: a selection stays. */
export function rebuild(parent, nodes, before) {
  const written = nodes.map((node) => JSON.stringify(node));
  let same = 0;
  while (same < written.length && same < before.length && written[same] === before[same]) same += 1;
  while (parent.childNodes.length > same) parent.lastChild.remove();
  parent.append(...build(nodes.slice(same)));
  return written;
}

export function say(key, slots = {}) {
  const text = texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(slots[name] ?? whole));
}

/** The language the page is read in, as a code. */
export const lang = () => language;

export const knows = (key) => key in texts;

export function useTexts(given, code) {
  [texts, language] = [given, code];
  document.documentElement.lang = code;
  for (const one of document.querySelectorAll("[data-text]")) {
    one.textContent = say(one.dataset.text);
  }
  for (const one of document.querySelectorAll("[data-label]")) {
    one.setAttribute("aria-label", say(one.dataset.label));
    if (one.tagName === "BUTTON") one.title = say(one.dataset.label);
  }
  for (const one of document.querySelectorAll("[data-placeholder]")) {
    one.placeholder = say(one.dataset.placeholder);
  }
}

/** The language as this person's region writes it. */
const region = () => navigator.languages.find((one) => one.split("-")[0] === language) ?? language;

/** A day in words: of an instant, or a date as the person counts days, wherever the browser is. */
export const day = (at) =>
  new Intl.DateTimeFormat(region(), { dateStyle: "long" }).format(
    new Date(at.includes("T") ? at : `${at}T00:00`),
  );

export function moment(at) {
  const when = new Date(at);
  const today = new Date().toDateString() === when.toDateString();
  const shown = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(region(), shown).format(when);
}

/** Have a screen reader say something once. */
export function speak(text) {
  const spoken = byId("spoken");
  spoken.textContent = "";
  requestAnimationFrame(() => {
    spoken.textContent = text;
  });
}

/** Return when the page is in sight. */
export async function seen() {
  while (document.hidden) {
    await new Promise((then) =>
      document.addEventListener("visibilitychange", then, { once: true }),
    );
  }
}

export function trouble(place, text) {
  place.textContent = text;
  place.hidden = !text;
}
