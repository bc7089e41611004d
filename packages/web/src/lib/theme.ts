import { Store } from "./store.ts";

type Theme = "auto" | "light" | "dark";

const stored = localStorage.getItem("theme");

/** The theme that the person chose. */
export const theme = new Store<Theme>(stored === "light" || stored === "dark" ? stored : "auto");

function apply(): void {
  if (theme.value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
  localStorage.setItem("theme", theme.value);
}

/** Applies the theme now and at every change. */
export function followTheme(): void {
  apply();
  theme.on(apply);
}
