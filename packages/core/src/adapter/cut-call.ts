import { failure, type Result } from "../tool/index.ts";

/** The result of a call with incomplete arguments. It did not run, and the model gets the reason. */
export const cutCall = (tool: string, why: "length" | "broken"): Result =>
  why === "length"
    ? failure({
        code: "invalid_json",
        message: `${tool} did not run: your message reached its length limit before the arguments were known to be complete.`,
        hint: "Call it again with less in one call; split long content into several calls.",
      })
    : failure({
        code: "cancelled",
        message: `${tool} did not run: the connection broke before its arguments were complete.`,
        hint: "Call it again if it is still needed.",
      });
