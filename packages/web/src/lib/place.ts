import { Store } from "./store.ts";

/** The folder of the sessions. */
export const folder = new Store("");

/** Whether there is a queue with workers to show. */
export const hasQueue = new Store(false);

/** A text with the paths below the folder of the sessions shortened. */
export function shortPaths(text: string): string {
  const { value } = folder;
  return value === "" ? text : text.replaceAll(`${value}/`, "");
}
