import { expect, it } from "vitest";
import { back, inFolder } from "./moved.ts";

const move = { from: "/srv/app", to: "/state/frozen/a1/app" };
const moved = (text: string) => inFolder(move, text);

it.each([
  ["/srv/app", "/state/frozen/a1/app"],
  ["cat /srv/app/a.ts > '/srv/app/b.ts'", "cat /state/frozen/a1/app/a.ts > '/state/frozen/a1/app/b.ts'"],
  ["It is in /srv/app. Look there.", "It is in /state/frozen/a1/app. Look there."],
  ["Edit(//srv/app/src/**)", "Edit(//state/frozen/a1/app/src/**)"],
  [
    "file:///srv/app/a.ts, PATH=/bin:/srv/app/bin",
    "file:///state/frozen/a1/app/a.ts, PATH=/bin:/state/frozen/a1/app/bin",
  ],
  // Longer names, other folders and addresses stay.
  ["/srv/app2 /srv/app-old/a /srv/app.bak /srv/appé", "/srv/app2 /srv/app-old/a /srv/app.bak /srv/appé"],
  [
    "/mnt/srv/app/a ~/srv/app $HOME/srv/app x/srv/app ./srv/app",
    "/mnt/srv/app/a ~/srv/app $HOME/srv/app x/srv/app ./srv/app",
  ],
  ["http://srv/app/a", "http://srv/app/a"],
])("S01 in %j only paths of the folder move", (text, expected) => {
  expect(moved(text)).toBe(expected);
  expect(inFolder(back(move), moved(text))).toBe(text);
});

it("S01 a value moves in all its parts, and a part without a path stays the same object", () => {
  const matches = () => true;
  const bytes = Buffer.from("/srv/app/a");
  const rest = { list: ["x", 1, null], matches };
  const value = { path: "/srv/app/a", files: { "/srv/app/a": [{ at: "/srv/app/a" }] }, bytes, rest };
  const [a, { files, ...others }] = ["/state/frozen/a1/app/a", inFolder(move, value)];
  expect(files).toEqual({ [a]: [{ at: a }] });
  expect(others).toEqual({ path: a, bytes, rest });
  expect([others.rest, others.bytes]).toEqual([rest, bytes]);
  expect(others.rest).toBe(rest);
  expect(inFolder(move, rest)).toBe(rest);
});
