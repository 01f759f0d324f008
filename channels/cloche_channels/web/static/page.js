// The page as a whole: language, appearance, the way in, and which of its views is shown.

import { startChat } from "./chat.js";
import { byId, element, say, trouble, useTexts } from "./dom.js";
import { startMemory } from "./memory.js";
import { startReminders } from "./reminders.js";
import { askJson, enter, onceIn, post, reason } from "./server.js";

const LANGUAGE = "cloche-language";
const THEME = "cloche-theme";
const THEMES = ["auto", "light", "dark"];

const views = {};
let hello = { persona: "Cloche", owner: "", commands: {} };

async function speakIn(code) {
  useTexts(await (await fetch(`/texts/${code}.json`)).json(), code);
  byId("language").value = code;
  showTheme();
  byId("greeting").textContent = say(hello.owner ? "hello" : "hello_nobody", {
    owner: hello.owner,
  });
  for (const view of Object.values(views)) view.reword(code);
  showSkip();
}

function wanted(codes) {
  const spoken = [localStorage.getItem(LANGUAGE), ...navigator.languages];
  const primary = spoken.filter(Boolean).map((one) => one.split("-")[0].toLowerCase());
  return primary.find((one) => codes.includes(one)) ?? codes[0];
}

function showTheme() {
  const chosen = localStorage.getItem(THEME) ?? "auto";
  document.documentElement.dataset.theme = chosen;
  const label = `${say("theme")}: ${say(`theme_${chosen}`)}`;
  byId("theme").setAttribute("aria-label", label);
  byId("theme").title = label;
}

function nextTheme() {
  const chosen = localStorage.getItem(THEME) ?? "auto";
  localStorage.setItem(THEME, THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length]);
  showTheme();
}

function show(name, focus) {
  for (const [each, view] of Object.entries(views)) {
    byId(each).hidden = each !== name;
    const link = document.querySelector(`[data-view="${each}"]`);
    if (each === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (each === name) view.open(focus);
  }
  showSkip();
}

const view = () => (location.hash.slice(1) in views ? location.hash.slice(1) : "chat");

/** Where the first link leads: to the field, or to what a view shows; nowhere while locked. */
function showSkip() {
  const shown = Object.keys(views).find((each) => !byId(each).hidden);
  const skip = byId("skip");
  skip.hidden = !shown;
  skip.textContent = say(shown === "chat" ? "skip" : "skip_content");
  skip.onclick = (event) => {
    event.preventDefault(); // the address says which view is shown
    byId(shown === "chat" ? "words" : `${shown}-title`).focus();
  };
}

/** Show what was told meanwhile, in another tab or by the hour. */
function refresh() {
  if (document.visibilityState !== "visible") return;
  for (const [each, view] of Object.entries(views)) if (!byId(each).hidden) view.refresh?.();
}

function lock(error) {
  for (const each of [...Object.keys(views), "views"]) byId(each).hidden = true;
  showSkip();
  byId("locked").hidden = false;
  trouble(byId("locked-error"), error ? say(reason(error, "connection")) : "");
}

/** Go in with the word of the link, if there is one; it leaves the address at once. */
async function goIn() {
  const word = new URLSearchParams(location.hash.slice(1)).get("enter");
  if (!word) return null;
  history.replaceState(null, "", location.pathname);
  return enter(word).catch((error) => error);
}

async function start() {
  showTheme();
  byId("theme").addEventListener("click", nextTheme);
  const languages = await (await fetch("/texts/languages.json")).json();
  byId("language").append(
    ...languages.map(({ code, name }) => element("option", { value: code, lang: code }, name)),
  );
  byId("language").addEventListener("change", async (event) => {
    localStorage.setItem(LANGUAGE, event.target.value);
    await speakIn(event.target.value);
    // Answers of commands, too: the newest choice holds, here or by a command.
    if (views.chat) await post("/api/language", { language: event.target.value }).catch(() => null);
  });
  await speakIn(wanted(languages.map(({ code }) => code)));
  const refused = await goIn();
  try {
    hello = await askJson("/api/hello");
  } catch (error) {
    lock(refused ?? (error.status === 401 ? null : error));
    return;
  }
  byId("persona").textContent = hello.persona || "Cloche";
  document.title = hello.persona || "Cloche";
  byId("views").hidden = false;
  views.chat = startChat(hello, () => lock(null));
  views.memory = startMemory(() => lock(null));
  views.reminders = startReminders(() => lock(null));
  await speakIn(byId("language").value);
  window.addEventListener("hashchange", () => show(view(), true));
  show(view(), false);
  window.addEventListener("focus", refresh);
  document.addEventListener("visibilitychange", refresh);
}

// The link opened in the same tab changes only the address; in another one, it lets all tabs in.
window.addEventListener("hashchange", () => {
  if (location.hash.startsWith("#enter=")) location.reload();
});
onceIn(() => {
  if (!byId("locked").hidden) location.reload();
});
await start();
