import type { Client, McpSubscription } from "@modelcontextprotocol/client";

/** A change of a server's resources: the address of a followed one, or no address for the list. */
export type TellResource = (uri?: string) => void;

/** Subscriptions to the resources of one server, over all its connections. */
export interface Following {
  /** Subscribes to a resource until the returned function is called. `undefined`: the server does not report changes. */
  follow(uri: string): (() => void) | undefined;
  /** Called when a connection is open. Call the returned function when it closes. */
  attach(client: Client): () => void;
}

/** Milliseconds in which changes merge into one report, and before a lost or refused subscription is retried. */
const GATHER_MS = 50;
const RELISTEN_MS = 5_000;

/** Characters of an address that are checked: nobody follows longer ones. */
const MOST_CHARS = 2_000;

/** Subscribes at a server, in the words of its protocol. */
interface Line {
  readonly canFollow: boolean;
  add(uri: string): void;
  drop(uri: string): void;
  end(): void;
}

export function followResources(tell: TellResource, onError: (error: Error) => void): Following {
  const followers = new Map<string, number>();
  const news = new Set<string | undefined>();
  let timer: NodeJS.Timeout | undefined;
  let line: Line | undefined;
  let wasAttached = false;

  function hear(uri: string | undefined): void {
    news.add(uri);
    if (timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      const heard = [...news];
      news.clear();
      for (const one of heard) tell(one);
    }, GATHER_MS).unref();
  }

  /** An update of a part is an update of the whole resource that was subscribed to. */
  function hearUpdate(uri: string): void {
    for (
      let whole = uri.slice(0, MOST_CHARS);
      whole !== "";
      whole = whole.slice(0, Math.max(whole.lastIndexOf("/"), 0))
    )
      if (followers.has(whole)) hear(whole);
  }

  function hearAll(): void {
    for (const uri of [undefined, ...followers.keys()]) hear(uri);
  }

  function forget(uri: string): void {
    const left = (followers.get(uri) ?? 0) - 1;
    if (left > 0) followers.set(uri, left);
    else if (followers.delete(uri)) line?.drop(uri);
  }

  return {
    follow(uri) {
      if (!line?.canFollow || uri.length > MOST_CHARS) return undefined;
      followers.set(uri, (followers.get(uri) ?? 0) + 1);
      if (followers.get(uri) === 1) line.add(uri);
      let isOver = false;
      return () => {
        if (!isOver) forget(uri);
        isOver = true;
      };
    },
    attach(client) {
      line?.end();
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => hearUpdate(params.uri));
      client.setNotificationHandler("notifications/resources/list_changed", () => hear(undefined));
      const parts = { client, uris: () => [...followers.keys()], onGap: hearAll, onError };
      const own = client.getProtocolEra() === "modern" ? listening(parts) : subscribing(parts);
      line = own;
      // Changes during a disconnection are not reported again.
      if (wasAttached) hearAll();
      wasAttached = true;
      return () => {
        own.end();
        if (line === own) line = undefined;
      };
    },
  };
}

interface LineParts {
  readonly client: Client;
  uris(): string[];
  /** Called when updates may have been missed. */
  onGap(): void;
  onError(error: Error): void;
}

const abilitiesOf = (client: Client) => client.getServerCapabilities()?.resources;

/** The older protocol: one request per resource. */
function subscribing({ client, uris, onError }: LineParts): Line {
  const canFollow = abilitiesOf(client)?.subscribe === true;
  const add = (uri: string): void => void client.subscribeResource({ uri }).catch(onError);
  if (canFollow) uris().forEach(add);
  return {
    canFollow,
    add,
    drop: (uri) => void client.unsubscribeResource({ uri }).catch(() => {}),
    end: () => {},
  };
}

/** The newer one: a single subscription to everything. A changed one is requested before the current one ends. */
function listening({ client, uris, onGap, onError }: LineParts): Line {
  const { subscribe = false, listChanged = false } = abilitiesOf(client) ?? {};
  const stopping = new AbortController();
  const { signal } = stopping;
  let current: McpSubscription | undefined;
  let turn: Promise<void> = Promise.resolve();
  let isQueued = false;
  let later: NodeJS.Timeout | undefined;

  async function ask(): Promise<void> {
    isQueued = false;
    if (signal.aborted || client.transport === undefined) return;
    const before = current;
    const resourceSubscriptions = uris();
    const isWanted = listChanged || resourceSubscriptions.length > 0;
    const filter = { resourcesListChanged: listChanged, resourceSubscriptions };
    const asked = isWanted ? await client.listen(filter, { signal }) : undefined;
    current = asked;
    void asked?.closed.then((how) => {
      if (how === "remote" && current === asked) renewLater();
    });
    await before?.close();
  }

  /** Merges many changes into one: the request names all resources that are followed by then. */
  function change(): void {
    if (!isQueued) renew();
  }

  function renew(then?: () => void): void {
    isQueued = true;
    turn = turn
      .then(ask)
      .then(then)
      .catch((thrown: unknown) => {
        if (signal.aborted) return;
        onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
        renewLater();
      });
  }

  function renewLater(): void {
    if (later) return;
    later = setTimeout(() => {
      later = undefined;
      renew(onGap);
    }, RELISTEN_MS).unref();
  }

  if (listChanged || (subscribe && uris().length > 0)) renew();
  return { canFollow: subscribe, add: change, drop: change, end: () => stopping.abort() };
}
