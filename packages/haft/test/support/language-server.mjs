// A scripted language server for tests. It knows words: a definition is the line that begins with `def NAME`, and a line with
// `BAD` is an error. Arguments: `log=FILE` notes each start; a file named `die`, `hang` or `noise` in its folder has that effect.
import { appendFileSync, existsSync, rmSync } from "node:fs";

const log = process.argv.find((word) => word.startsWith("log="))?.slice(4);
if (log) appendFileSync(log, `start ${process.pid}\n`);
const texts = new Map();
let held = Buffer.alloc(0);

process.stdin.on("end", () => process.exit(0));
process.stdin.on("data", (chunk) => {
  held = Buffer.concat([held, chunk]);
  for (;;) {
    const end = held.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/Content-Length: (\d+)/.exec(held.toString("latin1", 0, end))[1]);
    if (held.length < end + 4 + length) return;
    const message = JSON.parse(held.toString("utf8", end + 4, end + 4 + length));
    held = held.subarray(end + 4 + length);
    receive(message);
  }
});

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  // In two parts, as a pipe may deliver it.
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
  process.stdout.write(body);
}

const range = (line, from, to) => ({ start: { line, character: from }, end: { line, character: to } });

function receive({ id, method, params = {} }) {
  const uri = params.textDocument?.uri;
  switch (method) {
    case "initialize":
      return send({
        id,
        result: {
          capabilities: { definitionProvider: true, hoverProvider: true, documentSymbolProvider: true },
        },
      });
    case "textDocument/didOpen":
      return show(uri, params.textDocument.text, params.textDocument.version);
    case "textDocument/didChange":
      return show(uri, params.contentChanges[0].text, params.textDocument.version);
    case "textDocument/didClose":
      return texts.delete(uri);
    case "shutdown":
      return send({ id, result: null });
    case "exit":
      return process.exit(0);
  }
  if (id === undefined) return;
  const order = ["die", "hang", "noise"].find((name) => existsSync(name));
  if (order) return obey(order);
  const lines = (texts.get(uri) ?? "").split("\n");
  const { line = 0, character = 0 } = params.position ?? {};
  const word = [...(lines[line] ?? "").matchAll(/\w+/g)].find(
    ({ 0: found, index }) => index <= character && character <= index + found.length,
  )?.[0];
  if (method === "textDocument/hover") return send({ id, result: word ? { contents: `about ${word}` } : null });
  const found = lines.flatMap((text, at) => {
    const [, name] = /^def (\w+)/.exec(text) ?? [];
    return name === undefined
      ? []
      : [{ name, kind: 12, range: range(at, 0, text.length), selectionRange: range(at, 4, 4 + name.length) }];
  });
  if (method === "textDocument/documentSymbol") return send({ id, result: found });
  const definition = found.find(({ name }) => name === word);
  send({ id, result: definition ? [{ uri, range: definition.selectionRange }] : [] });
}

function obey(order) {
  rmSync(order);
  if (order === "noise") process.stdout.write(`${"x".repeat(9000)}\n`);
  if (order !== "die") return;
  process.stderr.write("lost my mind\n");
  process.exit(3);
}

function show(uri, text, version) {
  texts.set(uri, text);
  const diagnostics = text
    .split("\n")
    .flatMap((line, at) =>
      line.includes("BAD") ? [{ range: range(at, 0, 3), severity: 1, message: `bad line\n${line}` }] : [],
    );
  send({ method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics } });
}
