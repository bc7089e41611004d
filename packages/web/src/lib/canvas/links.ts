/**
 * Runs inside the page on the canvas, after the bridge and before the page's own scripts: the source of this function is put
 * into the page, so it refers to nothing outside. A link that is clicked and a form that is sent would leave the page; both
 * are shown to the person instead. If the page does it otherwise, the sandbox still lets nothing out.
 */
export function links(): void {
  const { open, say } = (window as unknown as { haft: Record<"open" | "say", (text: string) => Promise<unknown>> })
    .haft;
  // A page without `base` has no address. Its relative links lead nowhere, and not to the console.
  const inherited = document.baseURI;
  const baseOf = (): string | undefined => (document.baseURI === inherited ? undefined : document.baseURI);
  const hrefOf = (node: EventTarget): string | null =>
    node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement
      ? node.getAttribute("href")
      : node instanceof SVGAElement
        ? (node.getAttribute("href") ?? node.getAttribute("xlink:href"))
        : null;
  const linkIn = (event: Event): Element | undefined =>
    event.composedPath().find((node): node is Element => hrefOf(node) !== null);

  const scrollTo = (fragment: string): void => {
    location.hash = fragment;
    const name = decodeURIComponent(fragment.slice(1));
    const place = document.getElementById(name) ?? document.getElementsByName(name)[0];
    if (place) place.scrollIntoView();
    else if (name === "" || name.toLowerCase() === "top") window.scrollTo(0, 0);
  };
  // biome-ignore lint/security/noGlobalEval: a script of the page, in the page's own scope.
  const run = globalThis.eval as (text: string) => unknown;
  const follow = (link: Element): void => {
    const href = hrefOf(link)?.trim();
    if (href === undefined) return;
    // The policy of the canvas keeps the browser from running it.
    if (/^javascript:/i.test(href)) run(decodeURIComponent(href.slice("javascript:".length)));
    else if (href.startsWith("#")) scrollTo(href);
    else open(URL.parse(href, baseOf())?.href ?? href).catch(() => {});
  };
  // The page may prevent the click, or keep it from every later listener. So the outcome is read after all of them, and until
  // then the link leads to a new tab, which the sandbox forbids.
  const followLater = (event: Event, link: Element): void => {
    const target = link.getAttribute("target");
    link.setAttribute("target", "_blank");
    setTimeout(() => {
      if (target === null) link.removeAttribute("target");
      else link.setAttribute("target", target);
      if (!event.defaultPrevented) follow(link);
    });
  };

  // The page cannot keep clicks from this listener.
  const hear = (event: MouseEvent): void => {
    const { target, button, ctrlKey, metaKey, shiftKey } = event;
    const link = linkIn(event);
    if (button === 2 || (button === 0 && !ctrlKey && !metaKey && !shiftKey)) {
      if (link && button === 0) followLater(event, link);
      return;
    }
    // A browser opens a new tab for these clicks, whatever the sandbox forbids. A link in a closed shadow tree is not in the path.
    if (!link && (target as Element).matches?.("input, select, textarea, button, label, summary")) return;
    event.preventDefault();
    if (link) follow(link);
  };
  addEventListener("click", hear, true);
  addEventListener("auxclick", hear, true);

  const deliver = (form: HTMLFormElement, submitter?: HTMLElement | null): void => {
    const values: Record<string, FormDataEntryValue | FormDataEntryValue[]> = {};
    for (const [name, value] of new FormData(form, submitter)) {
      const isSecret = form.querySelector(`input[type=password][name=${CSS.escape(name)}]`) !== null;
      const given = isSecret ? "(a password, left out)" : value instanceof File ? value.name : value;
      values[name] = name in values ? [values[name]!, given].flat() : given;
    }
    const [name, action] = ["name", "action"].map((attribute) => form.getAttribute(attribute) || undefined);
    say(JSON.stringify({ form: { name, action, values } })).catch(() => {});
  };
  addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    const { submitter } = event;
    const method = submitter?.getAttribute("formmethod") ?? form.getAttribute("method");
    if (event.defaultPrevented || method?.toLowerCase() === "dialog") return;
    event.preventDefault();
    deliver(form, submitter);
  });
  HTMLFormElement.prototype.submit = function () {
    deliver(this);
  };
}
