// What the assistant will remind of: what waits for an answer, and what is to come.

import { confirmed } from "./confirm.js";
import { byId, element, lang, say, speak, trouble } from "./dom.js";
import { askJson, post, reason } from "./server.js";

const OUTCOMES = ["done", "snooze", "skip"];

export function startReminders(lock) {
  const place = byId("reminder-list");
  let reminders = [];
  let asked = 0;
  let looked = false; // whether the view was opened

  const complain = (key) => trouble(byId("reminders-trouble"), key ? say(key) : "");

  function failed(error) {
    if (error.status === 401) lock();
    else complain(reason(error, "connection"));
  }

  async function load() {
    const mine = (asked += 1);
    try {
      const found = await askJson(`/api/reminders?language=${lang()}`);
      if (mine !== asked) return; // an older question's answer came late
      complain("");
      if (JSON.stringify(found.reminders) === JSON.stringify(reminders)) return describe();
      reminders = found.reminders;
      draw();
    } catch (error) {
      failed(error);
    }
  }

  function describe() {
    const count = reminders.length;
    byId("reminders-count").textContent = say(count ? "reminders_count" : "reminders_empty", { count });
  }

  function draw() {
    describe();
    const told = reminders.filter((one) => one.told);
    const coming = reminders.filter((one) => !one.told);
    place.replaceChildren(...section("told", told), ...section("coming", coming));
  }

  function section(name, some) {
    if (!some.length) return [];
    const heading = element("h3", { id: `reminders-${name}` }, say(`reminders_${name}`));
    const list = element("ul", { className: "records" }, ...some.map(row));
    const made = element("section", { className: "scope" }, heading, list);
    made.setAttribute("aria-labelledby", heading.id);
    return [made];
  }

  function row(one) {
    const [next, then] = one.coming;
    const facts = [
      one.told ? say("reminder_told", { when: one.told }) : "",
      next ? say("reminder_next", { when: next }) : "",
      then ? say("reminder_then", { when: then }) : "",
      one.rhythm,
      one.zone,
      one.paused ? say("reminder_paused") : "",
    ];
    const meta = element("p", { className: "facts", dir: "auto" });
    meta.append(...facts.filter(Boolean).map((fact) => element("span", {}, fact)));
    return element(
      "li",
      { className: "record" },
      element("p", { className: "statement", dir: "auto" }, one.text),
      meta,
      actions(one),
    );
  }

  function actions(one) {
    const buttons = element("div", { className: "actions" });
    for (const outcome of one.told ? OUTCOMES : []) {
      buttons.append(button(`reminder_${outcome}`, one, () => answer(one, outcome)));
    }
    if (one.coming.length) {
      const cancel = button("reminder_cancel", one, () => askToCancel(one, cancel));
      buttons.append(cancel);
    }
    return buttons;
  }

  function button(key, one, onclick) {
    const made = element("button", { type: "button", className: "quiet", onclick }, say(key));
    made.setAttribute("aria-label", `${say(key)}: ${one.text}`);
    return made;
  }

  async function settle(path, body, told) {
    try {
      const answered = await post(path, body);
      await load();
      speak(answered.text ?? told);
      byId("reminders-title").focus();
    } catch (error) {
      await load();
      failed(error);
    }
  }

  const answer = (one, outcome) =>
    settle(`/api/reminders/${one.id}/answer`, { outcome, language: lang() });

  async function askToCancel(one, asking) {
    const sure = await confirmed(asking, {
      title: say("reminder_cancel_title"),
      what: one.text,
      text: say("reminder_cancel_text"),
      no: say("reminder_keep"),
      yes: say("reminder_cancel"),
    });
    if (sure) await settle(`/api/reminders/${one.id}/cancel`, {}, say("reminder_cancelled"));
  }

  return {
    open(focus) {
      if (focus) byId("reminders-title").focus();
      looked = true;
      void load();
    },
    refresh: load,
    reword() {
      if (!looked) return;
      reminders = [];
      place.replaceChildren();
      void load();
    },
  };
}
