import type { JournalCall } from "../executor/index.ts";
import type { HostPorts, UndoJournal } from "../host/index.ts";
import { type Check, check, expectFailure, expectSame } from "./check.ts";

/** The journal to check, with the host that it journals and an empty folder on it. */
export interface JournalPlace {
  readonly journal: UndoJournal;
  readonly host: HostPorts;
  readonly folder: string;
}

type Write = (id: string, name: string, data: string | undefined) => Promise<void>;

/** The promises of a journal. `open` gives a fresh one, in a folder that no other check uses. */
export function journalChecks(open: () => JournalPlace | Promise<JournalPlace>): readonly Check[] {
  const at = (name: string, run: (place: JournalPlace, write: Write) => Promise<void>): Check =>
    check(name, async () => {
      const place = await open();
      const { host, journal, folder } = place;
      await run(place, async (id, name, data) => {
        const path = `${folder}/${name}`;
        const call: JournalCall = { id, tool: "Write", turn: 1, session: "s1" };
        const act = () => (data === undefined ? host.files.remove(path) : host.files.write(path, data));
        await journal.change<unknown>(call, { path, ...(data === undefined ? {} : { data }) }, act);
      });
    });
  const textAt = async ({ host, folder }: JournalPlace, name: string) =>
    (await host.files.stat(`${folder}/${name}`)) ? (await host.files.text(`${folder}/${name}`)).text : undefined;
  return [
    at("journal: undoes and redoes a new file, a change and a removal", async (place, write) => {
      const { journal, host, folder } = place;
      for (const name of ["changed", "removed"]) await host.files.write(`${folder}/${name}`, "old");
      await write("c1", "new", "new");
      await write("c1", "changed", "new");
      await write("c1", "removed", undefined);
      const texts = () => Promise.all(["new", "changed", "removed"].map((name) => textAt(place, name)));
      expectSame(
        "calls",
        (await journal.undo({ call: "c1", session: "s1" })).calls.map(({ id }) => id),
        ["c1"],
      );
      expectSame("undone", await texts(), [undefined, "old", "old"]);
      await journal.redo({ call: "c1", session: "s1" });
      expectSame("redone", await texts(), ["new", "new", undefined]);
    }),
    at("journal: without a call it undoes the last one, and then the one before", async (place, write) => {
      await write("c1", "a", "1");
      await write("c2", "a", "2");
      await place.journal.undo();
      expectSame("once", await textAt(place, "a"), "1");
      await place.journal.undo();
      expectSame("twice", await textAt(place, "a"), undefined);
      await expectFailure("a third time", () => place.journal.undo());
    }),
    at("journal: changes nothing if others have changed one of the paths", async (place, write) => {
      await write("c1", "a", "1");
      await write("c1", "b", "1");
      await place.host.files.write(`${place.folder}/b`, "theirs");
      await expectFailure("undo", () => place.journal.undo({ call: "c1" }), "conflict");
      expectSame("texts", [await textAt(place, "a"), await textAt(place, "b")], ["1", "theirs"]);
    }),
    at("journal: settles as the write does, and keeps nothing of one that failed", async ({ journal, folder }) => {
      const call: JournalCall = { id: "c1", tool: "Write", turn: 1, session: "s1" };
      const act = () => Promise.reject(new Error("no space"));
      await expectFailure("change", () => journal.change(call, { path: `${folder}/a`, data: "x" }, act));
      await expectFailure("undo", () => journal.undo({ call: "c1" }));
    }),
    at("journal: a command that must be held back does not run", async ({ journal, folder }) => {
      let hasRun = false;
      const run = async () => {
        hasRun = true;
        return Promise.reject(new Error("it ran"));
      };
      const call: JournalCall = { id: "c1", tool: "Bash", turn: 1, session: "s1" };
      const review = async () => ({ do: "discard", why: "a dry run" }) as const;
      await expectFailure("command", () => journal.command(call, { command: "true", cwd: folder }, run, review));
      expectSame("ran unheld", hasRun, false);
    }),
  ];
}
