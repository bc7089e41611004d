// A page that offers files without an end: they take a limited part of the disk.
import type { ServerResponse } from "node:http";
import { findBrowser } from "@haft/service/web";
import { describe, expect, it } from "vitest";
import { webWorkspace } from "../../test/support/web.ts";

const found = findBrowser(undefined, process.env);
const MB = 1024 * 1024;

/** A file with more bytes than it sends, which stays open. `closed` resolves when the browser gives up. */
function endless(bytes: number) {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const reply = (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "application/octet-stream" }).on("close", resolve);
    let left = bytes / MB;
    const go = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        if (!response.write(Buffer.alloc(MB, 97))) return void response.once("drain", go);
      }
    };
    go();
  };
  return { closed, reply };
}

describe.skipIf("absent" in found)("files that pages offer", { timeout: 60_000 }, () => {
  it("M03 a file that does not end is cut off at 100 MB, and is a typed error", { tags: ["smoke"] }, async () => {
    const file = endless(101 * MB);
    await using site = await webWorkspace(
      {
        "/": '<a href="/big" download>Big</a><a href="/small" download="s.txt">Small</a>',
        "/big": file.reply,
        "/small": "ok",
      },
      { rules: { allow: ["WebBrowser"] } },
    );
    const browse = (input: object) => site.haft.call("WebBrowser", input);
    await browse({ action: "navigate", url: `${site.server.origin}/` });
    const page = JSON.stringify((await browse({ action: "snapshot" })).output);
    const [big, small] = [/Big\\" \[ref=(\w+)/, /Small\\" \[ref=(\w+)/].map((pattern) => pattern.exec(page)?.[1]);
    const { error } = await browse({ action: "download", ref: big, path: "big.bin" });
    expect(error).toMatchObject({ code: "file_too_large", message: expect.stringContaining("104,857,600") });
    expect(error?.hint).toContain("curl");
    await file.closed;
    expect((await browse({ action: "download", ref: small, path: "small.txt" })).output).toMatchObject({
      saved: expect.stringContaining("(2 bytes)"),
    });
  });

  it("M03 files that nobody takes count together, also while nobody acts", async () => {
    const file = endless(50 * MB);
    await using site = await webWorkspace(
      {
        "/": `<script>for (const n of [1, 2, 3]) { const a = document.createElement("a"); a.href = "/part" + n; a.download = n; setTimeout(() => a.click(), n * 50) }</script>Hello`,
        ...{ "/part1": file.reply, "/part2": file.reply, "/part3": file.reply },
      },
      { rules: { allow: ["WebBrowser"] } },
    );
    const browse = (input: object) => site.haft.call("WebBrowser", input);
    await browse({ action: "navigate", url: `${site.server.origin}/` });
    await file.closed;
    expect((await browse({ action: "download", path: "part.bin" })).error?.code).toBe("file_too_large");
  });
});
