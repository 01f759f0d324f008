// Requests. Each carries the session's token, which only pages of this very address can read;
// the cookie that belongs to it goes along by itself.

const TOKEN = "cloche-token";
const PATIENCE = 30_000; // milliseconds; a server on this machine that takes longer is gone

export class Refused extends Error {
  constructor(status, code) {
    super(code);
    [this.status, this.code] = [status, code];
  }
}

/** Call when another tab was let in. */
export function onceIn(then) {
  window.addEventListener("storage", (event) => {
    if (event.key === TOKEN && event.newValue) then();
  });
}

export async function ask(path, options = {}) {
  const headers = { "X-Cloche-Token": localStorage.getItem(TOKEN) ?? "", ...options.headers };
  const response = await fetch(path, { cache: "no-store", ...options, headers });
  if (!response.ok) {
    const { error = "internal" } = await response.json().catch(() => ({}));
    throw new Refused(response.status, error);
  }
  return response;
}

export const askJson = async (path, options) => (await ask(path, options)).json();

export const post = (path, body = {}) =>
  askJson(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE),
  });

/** Exchange the word of the printed link for a session. */
export async function enter(word) {
  const { token } = await post("/api/enter", { word });
  localStorage.setItem(TOKEN, token);
}

/** Tell each line of an endless answer, until it ends or the signal stops it. */
export async function follow(path, tell, signal) {
  const response = await ask(path, { signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) tell(JSON.parse(line));
  }
}

/** The sentence for what went wrong, as a key of the texts. */
export function reason(error, otherwise) {
  if (!(error instanceof Refused)) return otherwise;
  // The page's own mistakes: nothing that whoever reads it could do anything about.
  if (["host", "origin", "request"].includes(error.code)) return "error_internal";
  return `error_${error.code}`;
}
