/**
 * Runs inside the page on the canvas, before its own scripts: the source of this function is put into the page, so it
 * refers to nothing outside. It gives the page `haft.call`, and answers the console's questions. The page can change all
 * of it, so the console trusts nothing that it says.
 */
export function bridge(): void {
  const notes: string[] = [];
  const note = (text: string): void => void (notes.length < 20 && notes.push(text.slice(0, 500)));
  addEventListener("error", ({ message, lineno }) => note(`error: ${message} (line ${lineno})`));
  addEventListener("unhandledrejection", ({ reason }) => note(`unhandled rejection: ${String(reason)}`));
  document.addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective }) =>
    note(`blocked by the policy of the canvas: ${blockedURI} (${effectiveDirective})`),
  );

  let count = 0;
  const waiting = new Map<string, (message: { result?: unknown; error?: { message: string } }) => void>();
  const request = (method: string, params: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = `haft-${++count}`;
      waiting.set(id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result)));
      parent.postMessage({ jsonrpc: "2.0", id, method, params }, "*");
    });
  const call = async (name: string, input: unknown = {}): Promise<unknown> => {
    const result = (await request("tools/call", { name, arguments: input })) as {
      isError?: boolean;
      content?: { text?: string }[];
    };
    if (result.isError) throw new Error(result.content?.map(({ text }) => text).join("\n") || `${name} failed.`);
    return result;
  };
  const say = (text: string): Promise<unknown> =>
    request("ui/message", { role: "user", content: [{ type: "text", text }] });
  const open = (url: string): Promise<unknown> => request("ui/open-link", { url });
  Object.assign(window, { haft: { call, say, open } });

  const BLOCKS =
    /^(?:address|article|aside|blockquote|div|dl|dd|dt|fieldset|figure|footer|form|header|li|main|nav|ol|p|pre|section|table|tr|ul|body|h[1-6]|hr|br|summary|details|label)$/;
  const outline = (): string => {
    const lines = [""];
    const add = (text: string): void => {
      const line = `${lines.at(-1)}${text}`;
      lines[lines.length - 1] = line.replace(/\s+/g, " ");
    };
    const visit = (node: Node): void => {
      if (lines.length > 3_000) return;
      if (node.nodeType === Node.TEXT_NODE) {
        add(node.textContent ?? "");
        return;
      }
      if (!(node instanceof Element) || /^(?:script|style|template|noscript)$/i.test(node.tagName)) return;
      if (!node.checkVisibility()) return;
      const tag = node.tagName.toLowerCase();
      const isBlock = BLOCKS.test(tag);
      if (isBlock && lines.at(-1)?.trim() !== "") lines.push("");
      const heading = /^h([1-6])$/.exec(tag);
      if (heading) add(`${"#".repeat(Number(heading[1]))} `);
      if (tag === "li") add("- ");
      if (tag === "td" || tag === "th") add(" | ");
      if (node instanceof HTMLImageElement) add(`[image ${node.alt}]`);
      else if (tag === "canvas" || tag === "svg") add(`[${tag} ${node.getAttribute("aria-label") ?? ""}]`);
      else if (node instanceof HTMLInputElement)
        add(
          `[${node.type} ${node.name || node.id || node.placeholder} = ${
            node.type === "checkbox" || node.type === "radio" ? String(node.checked) : JSON.stringify(node.value)
          }]`,
        );
      else if (node instanceof HTMLTextAreaElement || node instanceof HTMLSelectElement)
        add(`[${tag} ${node.name || node.id} = ${JSON.stringify(node.value)}]`);
      else {
        if (tag === "button") add("[button ");
        node.childNodes.forEach(visit);
        if (tag === "button") add("]");
      }
      if (isBlock && lines.at(-1)?.trim() !== "") lines.push("");
    };
    visit(document.body);
    return lines
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .join("\n");
  };

  const shown = (value: unknown): string => {
    if (value === undefined) return "undefined";
    try {
      return JSON.stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };
  const evaluate = async (script: string): Promise<string> => {
    // Indirect: the script runs in the page's scope, not in this function.
    // biome-ignore lint/security/noGlobalEval: the page is the agent's own, in a sandbox without network.
    const run = globalThis.eval as (text: string) => unknown;
    try {
      return shown(await run(script));
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError) || !/\b(?:await|return)\b/.test(script)) throw thrown;
      return shown(await run(`(async () => { ${script}\n})()`));
    }
  };
  const loaded = new Promise<void>((resolve) => addEventListener("load", () => resolve(), { once: true }));
  const answers: Record<string, (script: string) => Promise<object>> = {
    async ready() {
      await loaded;
      return { title: document.title, notes };
    },
    eval: async (script) => ({ text: await evaluate(script), notes }),
    snapshot: async () => ({ title: document.title, text: outline(), notes }),
  };

  addEventListener("message", ({ source, data }) => {
    if (source !== parent || typeof data !== "object" || data === null) return;
    const settle = waiting.get(data.id);
    if (settle && data.method === undefined) {
      waiting.delete(data.id);
      return settle(data);
    }
    const answer = typeof data.haft === "string" && Object.hasOwn(answers, data.haft) ? answers[data.haft] : undefined;
    if (!answer) return;
    const reply = (said: object): void => parent.postMessage({ haft: "answer", id: data.id, answer: said }, "*");
    answer(String(data.script)).then(reply, (thrown: unknown) => reply({ error: String(thrown) }));
  });
}
