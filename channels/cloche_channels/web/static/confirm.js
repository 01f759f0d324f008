// The one question before something is gone for good.

import { byId } from "./dom.js";

/** Ask; true when the person is sure. Whoever asked has the focus again afterwards. */
export function confirmed(asking, { title, what, text, no, yes }) {
  const dialog = byId("confirm");
  byId("confirm-title").textContent = title;
  byId("confirm-what").textContent = what;
  byId("confirm-text").textContent = text;
  byId("confirm-no").textContent = no;
  byId("confirm-yes").textContent = yes;
  return new Promise((then) => {
    let sure = false;
    byId("confirm-no").onclick = () => dialog.close();
    byId("confirm-yes").onclick = () => {
      sure = true;
      dialog.close();
    };
    dialog.onclose = () => {
      asking.focus();
      then(sure);
    };
    dialog.showModal();
    byId("confirm-no").focus(); // the careful one
  });
}
