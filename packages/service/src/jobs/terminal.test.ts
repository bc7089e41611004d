import { describe, expect, it, vi } from "vitest";
import { createJobs } from "./index.ts";

describe("without the package for terminals", () => {
  it("L03 a job that wants one is refused with the cure, others run", async () => {
    vi.doMock("@lydell/node-pty", () => {
      throw new Error("Cannot find package");
    });
    const jobs = createJobs();
    await expect(jobs.start({ command: "true", cwd: "/", hasTerminal: true })).rejects.toMatchObject({
      code: "tool_unavailable",
      message: expect.stringContaining("@lydell/node-pty"),
      hint: expect.stringMatching(/Install it.*or run the command without tty/),
    });
    const { id } = await jobs.start({ command: "echo fine", cwd: "/" });
    await jobs.wait(id, { timeoutMs: 5000 });
    expect((await jobs.output(id, { part: "tail", maxBytes: 100 })).text).toBe("fine\n");
    await jobs.close();
    vi.doUnmock("@lydell/node-pty");
  });
});
