/**
 * Draws A2UI messages (version 0.8). Its source is put into a page of the canvas, so it refers to nothing outside. It
 * makes elements and texts only, never markup. An action becomes a message that the person confirms.
 */
export function renderA2ui(): void {
  interface Value {
    readonly path?: string;
    readonly literalString?: string;
    readonly literalNumber?: number;
    readonly literalBoolean?: boolean;
  }
  type Props = Record<string, unknown>;
  interface Surface {
    readonly components: Map<string, Record<string, Props>>;
    data: Props;
    root?: string;
  }
  interface Entry {
    readonly key: string;
    readonly valueString?: string;
    readonly valueNumber?: number;
    readonly valueBoolean?: boolean;
    readonly valueMap?: readonly Entry[];
  }
  const surfaces = new Map<string, Surface>();
  const surfaceOf = (id: unknown): Surface => {
    const known = surfaces.get(String(id)) ?? { components: new Map(), data: Object.create(null) as Props };
    surfaces.set(String(id), known);
    return known;
  };
  const keysOf = (path: string): string[] => path.split("/").filter(Boolean);
  const at = (data: unknown, path: string): unknown =>
    keysOf(path).reduce<unknown>(
      (value, key) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Props)[key] : undefined,
      data,
    );
  const put = (data: Props, path: string, value: unknown): void => {
    const keys = keysOf(path);
    const last = keys.pop();
    if (last === undefined || [...keys, last].includes("__proto__")) return;
    let inner = data;
    for (const key of keys) {
      if (typeof inner[key] !== "object" || inner[key] === null) inner[key] = Object.create(null);
      inner = inner[key] as Props;
    }
    inner[last] = value;
  };
  const dataOf = (entries: readonly Entry[]): Props => {
    const data = Object.create(null) as Props;
    for (const { key, valueString, valueNumber, valueBoolean, valueMap } of entries)
      data[key] = valueString ?? valueNumber ?? valueBoolean ?? (valueMap ? dataOf(valueMap) : undefined);
    return data;
  };

  /** Draws one surface. `scope`: where relative paths of a template's item begin. */
  function drawerOf(surfaceId: string, surface: Surface) {
    const full = (path: string, scope: string): string => (path.startsWith("/") ? path : `${scope}/${path}`);
    const read = (value: unknown, scope: string): unknown => {
      const { path, literalString, literalNumber, literalBoolean } = (value ?? {}) as Value;
      const found = path === undefined ? undefined : at(surface.data, full(path, scope));
      return found ?? literalString ?? literalNumber ?? literalBoolean;
    };
    const words = (value: unknown, scope: string): string => String(read(value, scope) ?? "");
    const element = (tag: string, text = ""): HTMLElement => {
      const made = document.createElement(tag);
      made.textContent = text;
      return made;
    };
    const children = (props: Props, scope: string, depth: number): HTMLElement[] => {
      const { explicitList = [], template } = (props.children ?? {}) as {
        explicitList?: string[];
        template?: { componentId: string; dataBinding: string };
      };
      if (!template) return explicitList.map((id) => draw(id, scope, depth));
      const base = full(template.dataBinding, scope);
      return Object.keys((at(surface.data, base) as object | undefined) ?? {})
        .slice(0, 500)
        .map((key) => draw(template.componentId, `${base}/${key}`, depth));
    };
    const box = (style: string, inside: readonly HTMLElement[]): HTMLElement => {
      const made = element("div");
      made.style.cssText = style;
      made.append(...inside);
      return made;
    };
    const field = (type: string, props: Props, key: string, scope: string): HTMLElement => {
      const label = element("label", `${words(props.label, scope)} `);
      const control = document.createElement("input");
      control.type = type;
      const { path } = (props[key] ?? {}) as Value;
      control.name = path ?? key;
      if (type === "range") Object.assign(control, { min: props.minValue ?? 0, max: props.maxValue ?? 100 });
      if (type === "checkbox") control.checked = read(props[key], scope) === true;
      else control.value = words(props[key], scope);
      control.onchange = () => {
        const value = type === "checkbox" ? control.checked : type === "range" ? Number(control.value) : control.value;
        if (path !== undefined) put(surface.data, full(path, scope), value);
      };
      label.append(control);
      return label;
    };
    const act = (props: Props, scope: string, componentId: string): void => {
      const { name, context = [] } = (props.action ?? {}) as {
        name?: string;
        context?: { key: string; value: unknown }[];
      };
      const values = Object.fromEntries(context.map(({ key, value }) => [key, read(value, scope)]));
      const action = { userAction: { name, surfaceId, sourceComponentId: componentId, context: values } };
      const { haft } = window as unknown as { haft: { say(text: string): Promise<unknown> } };
      haft.say(JSON.stringify(action)).catch(() => {});
    };
    const drawn: Record<string, (props: Props, scope: string, depth: number, id: string) => HTMLElement> = {
      Text: (props, scope) =>
        element(/^h[1-5]$/.test(String(props.usageHint)) ? String(props.usageHint) : "p", words(props.text, scope)),
      Image: (props, scope) => {
        const image = document.createElement("img");
        image.src = words(props.url, scope);
        return image;
      },
      Icon: (props, scope) => element("span", words(props.name, scope)),
      Divider: () => element("hr"),
      Row: (props, scope, depth) =>
        box("display:flex;flex-wrap:wrap;gap:12px;align-items:center", children(props, scope, depth)),
      Column: (props, scope, depth) => box("display:flex;flex-direction:column;gap:8px", children(props, scope, depth)),
      List: (props, scope, depth) => box("display:flex;flex-direction:column;gap:8px", children(props, scope, depth)),
      Card: (props, scope, depth) =>
        box("border:1px solid #dcd8ce;border-radius:10px;padding:12px 16px;margin:6px 0", [
          draw(String(props.child), scope, depth),
        ]),
      Tabs: (props, scope, depth) =>
        box(
          "",
          ((props.tabItems ?? []) as { title: unknown; child: string }[]).map(({ title, child }) => {
            const tab = element("details");
            tab.append(element("summary", words(title, scope)), draw(child, scope, depth));
            return tab;
          }),
        ),
      Modal: (props, scope, depth) => {
        const made = element("details");
        const summary = element("summary");
        summary.append(draw(String(props.entryPointChild), scope, depth));
        made.append(summary, draw(String(props.contentChild), scope, depth));
        return made;
      },
      Button: (props, scope, depth, id) => {
        const button = element("button");
        button.append(draw(String(props.child), scope, depth));
        button.onclick = () => act(props, scope, id);
        return button;
      },
      TextField: (props, scope) => field("text", props, "text", scope),
      CheckBox: (props, scope) => field("checkbox", props, "value", scope),
      Slider: (props, scope) => field("range", props, "value", scope),
      DateTimeInput: (props, scope) => field(props.enableTime ? "datetime-local" : "date", props, "value", scope),
    };
    function draw(id: string, scope: string, depth: number): HTMLElement {
      const [kind, props] = Object.entries(surface.components.get(id) ?? {})[0] ?? [];
      if (kind === undefined || props === undefined) return element("span");
      if (depth > 50) return element("em", "[nested too deep]");
      const make = Object.hasOwn(drawn, kind) ? drawn[kind] : undefined;
      return make ? make(props, scope, depth + 1, id) : element("em", `[The canvas cannot draw ${kind}.]`);
    }
    return (root: string) => draw(root, "", 0);
  }

  const take = (message: Record<string, Props>): void => {
    const { surfaceUpdate, dataModelUpdate, beginRendering, deleteSurface } = message;
    if (surfaceUpdate)
      for (const { id, component } of (surfaceUpdate.components ?? []) as {
        id: string;
        component: Record<string, Props>;
      }[])
        surfaceOf(surfaceUpdate.surfaceId).components.set(id, component);
    if (dataModelUpdate) {
      const surface = surfaceOf(dataModelUpdate.surfaceId);
      const data = dataOf((dataModelUpdate.contents ?? []) as Entry[]);
      const path = String(dataModelUpdate.path ?? "/");
      if (keysOf(path).length === 0) Object.assign(surface.data, data);
      else put(surface.data, path, data);
    }
    if (beginRendering) surfaceOf(beginRendering.surfaceId).root = String(beginRendering.root);
    if (deleteSurface) surfaces.delete(String(deleteSurface.surfaceId));
  };

  let count = 0;
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.haft !== "a2ui") return;
    for (const message of (data.messages as Record<string, Props>[]).slice(count)) take(message);
    count = data.messages.length;
    document.body.replaceChildren(
      ...[...surfaces].flatMap(([id, surface]) =>
        surface.root === undefined ? [] : [drawerOf(id, surface)(surface.root)],
      ),
    );
  });
}
