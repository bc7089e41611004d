import { Store } from "./store.ts";

/** The parts of the address behind `#/`. */
export const route = new Store<readonly string[]>(read());

function read(): readonly string[] {
  return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
}

/** Follows the address, also after a change that the browser does not announce. */
export function followAddress(): void {
  route.set(read());
  window.addEventListener("hashchange", () => route.set(read()));
}

/** The address of a page. */
export const pathTo = (...parts: readonly string[]): string => `#/${parts.map(encodeURIComponent).join("/")}`;

/** Goes to a page. */
export const goTo = (...parts: readonly string[]): void => {
  location.hash = pathTo(...parts);
};
