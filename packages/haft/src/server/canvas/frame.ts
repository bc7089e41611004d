import type { PageDomains } from "./canvas-state.ts";

/** A domain that a policy may name: an address without path, where the first label may be `*`. */
const DOMAIN = /^(?:https?|wss?):\/\/(?:\*\.)?[\w-]+(?:\.[\w-]+)*(?::\d{1,5})?$/;
const MOST_DOMAINS = 50;

/**
 * The outer frame of the canvas. Its policy makes it an origin of its own, even if it is opened directly, and the inner
 * frame inherits everything in it: no network beyond the named domains, no navigation elsewhere, no forms that are sent.
 */
export function frameResponse(query: string | undefined): Response {
  return new Response(FRAME, {
    headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policyOf(domainsIn(query)) },
  });
}

/** The policy for a page that may use these domains. Others in the list, and odd words, are left out. */
export function policyOf({ connectDomains, resourceDomains, frameDomains, baseUriDomains }: PageDomains): string {
  const files = valid(resourceDomains);
  const list = (...sources: readonly string[]) => (sources.length > 0 ? sources.join(" ") : "'none'");
  return [
    "sandbox allow-scripts allow-forms",
    "default-src 'none'",
    `script-src ${list("'unsafe-inline'", "'unsafe-eval'", ...files)}`,
    `style-src ${list("'unsafe-inline'", ...files)}`,
    `img-src ${list("data:", "blob:", ...files)}`,
    `font-src ${list("data:", ...files)}`,
    `media-src ${list("data:", "blob:", ...files)}`,
    `connect-src ${list(...valid(connectDomains))}`,
    `frame-src ${list(...valid(frameDomains))}`,
    `base-uri ${list(...valid(baseUriDomains))}`,
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}

/** The domains of a page that its policy can name. */
export const namable = (domains: PageDomains): PageDomains =>
  Object.fromEntries(Object.entries(domains).map(([name, list]) => [name, valid(list as readonly string[])]));

const valid = (domains: readonly string[] = []): readonly string[] =>
  domains.filter((domain) => DOMAIN.test(domain)).slice(0, MOST_DOMAINS);

function domainsIn(query: string | undefined): PageDomains {
  try {
    const given = JSON.parse(query ?? "{}") as Readonly<Record<string, unknown>>;
    const names = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"] as const;
    return Object.fromEntries(
      names.map((name) => {
        const list: unknown = given[name];
        return [name, Array.isArray(list) ? list.filter((one) => typeof one === "string") : []];
      }),
    );
  } catch {
    return {};
  }
}

/** Passes messages between the console and the page. The page can reach nothing but this frame. */
const FRAME = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Canvas</title>
<style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block; background: #fff; }</style>
<body>
<script>
"use strict";
const inner = document.createElement("iframe");
inner.title = "Page on the canvas";
const start = "ui/notifications/sandbox-resource-ready";
let isStarted = false;
addEventListener("message", ({ source, data }) => {
  if (source === parent && data && data.method === start) {
    if (isStarted) return;
    isStarted = true;
    inner.sandbox = "allow-scripts allow-forms";
    if (data.params.url) inner.src = data.params.url;
    else inner.srcdoc = data.params.html;
    inner.onload = () => tell("ui/notifications/sandbox-loaded");
    document.body.append(inner);
  } else if (source === parent && isStarted) inner.contentWindow.postMessage(data, "*");
  else if (isStarted && source === inner.contentWindow) {
    if (String(data && data.method).startsWith("ui/notifications/sandbox-")) return;
    parent.postMessage(data, "*");
  }
});
const tell = (method) => parent.postMessage({ jsonrpc: "2.0", method, params: {} }, "*");
tell("ui/notifications/sandbox-proxy-ready");
</script>
`;
