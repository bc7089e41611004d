import { createSearch, findBrowser } from "@haft/service/web";
import type { Finding } from "./finding.ts";

type Settings = { readonly browser?: { readonly executable?: string }; readonly search?: object };

/** The browser and search provider that web tools would use on this machine. Starts nothing and contacts no host. */
export function webFindings({ browser, search }: Settings, env: NodeJS.ProcessEnv): Finding[] {
  const found = findBrowser(browser?.executable, env);
  const isRoot = process.getuid?.() === 0;
  const net = { fetch: () => Promise.reject(new Error("Nobody is asked.")) };
  const provider = createSearch({ ...search, env, net })?.provider;
  return [
    "absent" in found
      ? { name: "browser", status: "missing", detail: found.absent, cure: "Without one, WebBrowser is not offered." }
      : {
          name: "browser",
          status: "ok",
          detail: found.executable,
          ...(isRoot
            ? { limits: ["As root, Chromium runs without its own sandbox (--no-sandbox). Use another user."] }
            : {}),
        },
    provider === undefined
      ? {
          name: "web search",
          status: "missing",
          detail: "no provider configured",
          cure: "Set BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL, or web.search in your settings.",
        }
      : { name: "web search", status: "ok", detail: provider },
  ];
}
