import { expect, it } from "vitest";
import { keptPicture, playedPicture, steady } from "../scripts/picture.ts";

it("the README opens with what npm start prints (else: npm run picture)", { tags: ["smoke"] }, (context) => {
  const played = playedPicture();
  // Elsewhere it says what is missing and shows what works.
  if (played.includes("not on this machine")) context.skip("this machine has no views");
  expect(steady(keptPicture() ?? "")).toBe(steady(played));
  for (const line of played.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});
