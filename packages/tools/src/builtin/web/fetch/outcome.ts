import { HaftError, type PageDocument } from "@haft/core/tool";

/** The reasons why an address gave no text; each suggests another way. */
type FetchProblem =
  | "blocked"
  | "needs_browser"
  | "login"
  | "paywall"
  | "not_found"
  | "rate_limited"
  | "unavailable"
  | "moved"
  | "robots"
  | "empty"
  | "binary";

/** The facts that identify a problem. */
export interface Answered {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
}

/** Minimum characters of a text that is worth reading. */
const SPARSE_CHARS = 200;

/** Pages with which bot protection turns programs away. */
const CHALLENGES =
  /just a moment|attention required|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human|are you a robot|unusual traffic|captcha|access denied|request blocked|pardon our interruption|bot detection|ddos protection/i;

const WANTS_SCRIPTS =
  /(?:enable|requires?|turn on|activate|need)\w*\s[^.]{0,40}javascript|javascript[^.]{0,40}(?:disabled|required|enabled)/i;

/** The problem that a status means, or undefined for a response with content. */
export function problemOfStatus(answer: Answered, hasBrowser: boolean): HaftError | undefined {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return undefined;
  if (status === 401 || status === 407) return problem("login", answer, "requires a login", hasBrowser);
  if (status === 402) return problem("paywall", answer, "requires payment", hasBrowser);
  if (status === 404 || status === 410) return problem("not_found", answer, "does not exist", hasBrowser);
  if (status === 429) {
    const after = headers.get("retry-after");
    return problem(
      "rate_limited",
      answer,
      `has had too many requests${after && /^\d+$/.test(after) ? ` (try again in ${after} s)` : ""}`,
      hasBrowser,
    );
  }
  if (
    status === 403 ||
    status === 451 ||
    headers.get("cf-mitigated") === "challenge" ||
    (status === 503 && headers.has("cf-ray"))
  )
    return problem("blocked", answer, "refuses programs", hasBrowser);
  return problem("unavailable", answer, "does not answer with a page", hasBrowser);
}

/** The problem of a page that arrived but has nothing to read. */
export function problemOfPage(
  answer: Answered,
  { title, facts }: PageDocument,
  hasBrowser: boolean,
): HaftError | undefined {
  const { start } = facts;
  if (start.length >= SPARSE_CHARS) return undefined;
  if (CHALLENGES.test(`${title} ${start}`))
    return problem("blocked", answer, "shows a CAPTCHA instead of its page", hasBrowser);
  if (facts.hasPassword || isLoginAddress(answer.url))
    return problem("login", answer, "shows a login instead of its page", hasBrowser);
  if (facts.isPaid) return problem("paywall", answer, "shows its text to subscribers only", hasBrowser);
  const next = facts.refresh === undefined ? undefined : URL.parse(facts.refresh, answer.url);
  if (next && /^https?:$/.test(next.protocol)) return problem("moved", answer, `leads on to ${next.href}`, hasBrowser);
  const isShell = facts.scripts > 0 && facts.visibleChars < SPARSE_CHARS;
  if (isShell || WANTS_SCRIPTS.test(`${facts.noscript} ${start}`))
    return problem("needs_browser", answer, "is built by scripts, and has no text without them", hasBrowser);
  if (start === "") return empty(answer);
  return undefined;
}

/** Whether the address is a login page. */
const isLoginAddress = (url: string): boolean =>
  /\/(?:log-?in|sign-?in|auth|sso|session\/new)\b/i.test(new URL(url).pathname);

/** An answer without any text. */
export const empty = (answer: Answered): HaftError => problem("empty", answer, "has no text", false);

/** A page that the site's robots.txt closes to programs. */
export const closedByRobots = (answer: Answered): HaftError =>
  problem("robots", answer, "is closed to programs by the site's robots.txt", false);

/** Content that cannot be read as text. */
export const binary = (answer: Answered, type: string): HaftError =>
  problem("binary", answer, `is ${type || "binary data"}, which has no text`, false);

function problem(kind: FetchProblem, { url, status }: Answered, what: string, hasBrowser: boolean): HaftError {
  return new HaftError({
    code: kind === "binary" ? "binary_file" : "fetch_failed",
    // A page that robots.txt closes was not asked: the status is that of robots.txt.
    message: kind === "robots" ? `${url} ${what}.` : `${url} ${what} (status ${status}).`,
    hint: (hasBrowser ? WITH_BROWSER[kind] : undefined) ?? HINTS[kind],
    details: { outcome: kind, status, url },
  });
}

const BROWSER = 'Open it with WebBrowser: {"action": "navigate", "url": …}';

const WITH_BROWSER: Partial<Record<FetchProblem, string>> = {
  blocked: `${BROWSER}, or find another source with WebSearch.`,
  needs_browser: `${BROWSER}, then {"action": "snapshot"}.`,
  login: `Ask the user whether to log in. ${BROWSER}, and let the user log in there.`,
};

const HINTS: Readonly<Record<FetchProblem, string>> = {
  blocked: "Find another source with WebSearch, or ask the user for the text.",
  needs_browser: "It needs a browser, and none is available. Look for an API or another source with WebSearch.",
  login: "Ask the user for the text, or for a source without a login.",
  paywall: "Find a free source with WebSearch, or ask the user for the text.",
  not_found: "Check the address, or find the page with WebSearch.",
  rate_limited: "Wait before the next request to this host, or use another source.",
  unavailable: "Try again later, or find another source with WebSearch.",
  moved: "Fetch that address with WebFetch, or find another source with WebSearch.",
  robots:
    "Find another source with WebSearch, or ask the user for the text. The user's setting web.robots asks for this.",
  empty: "Check the address, or find another source with WebSearch.",
  binary: "Download it with Bash: curl -L -o FILE ADDRESS",
};
