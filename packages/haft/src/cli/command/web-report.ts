import type { Settings } from "@haft/core/policy";
import { findBrowser } from "@haft/service/web";
import { searchOf } from "../../app/session/search.ts";
import type { Finding } from "./finding.ts";

/** The browser and search provider that web tools would use on this machine. Starts nothing and contacts no host. */
export function webFindings(settings: Settings, env: NodeJS.ProcessEnv): Finding[] {
  const found = findBrowser(settings.web?.browser?.executable, env);
  const isRoot = process.getuid?.() === 0;
  const search = searchOf({ settings, options: { env } });
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
    "absent" in search
      ? { name: "web search", status: "missing", detail: search.absent, cure: "docs/web.md lists the providers." }
      : { name: "web search", status: "ok", detail: [search.name, search.model].filter(Boolean).join(", with ") },
  ];
}
