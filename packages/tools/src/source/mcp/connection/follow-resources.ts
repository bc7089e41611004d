import type { Client, McpSubscription } from "@modelcontextprotocol/client";

/** What of a server's resources has changed: one that is followed, or without an address the list of them. */
export type TellResource = (uri?: string) => void;

/** The resources of one server that somebody wants to hear of, over all its connections. */
export interface Following {
  /** Asks to hear of a resource until the returned function is called. `undefined`: the server tells nothing of changes. */
  follow(uri: string): (() => void) | undefined;
  /** A connection is open. The returned function says that it is not any more. */
  attach(client: Client): () => void;
}

/** Milliseconds in which changes become one piece of news, and before a subscription that is lost, or was refused, is asked for again. */
const GATHER_MS = 50;
const RELISTEN_MS = 5_000;

/** Characters of an address that is looked at: longer ones nobody follows. */
const MOST_CHARS = 2_000;

/** What asks a server for news, in the words of its protocol. */
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

  /** News of a part is news of the whole that was asked for. */
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
      // What happened while nobody was connected is not told again.
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
  /** News may have been missed. */
  onGap(): void;
  onError(error: Error): void;
}

const abilitiesOf = (client: Client) => client.getServerCapabilities()?.resources;

/** The older protocol: a request for each resource. */
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

/** The newer one: a single subscription to everything. A changed one is asked for before the one in force is ended. */
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

  /** Many changes at once are one: what is asked for is all that is followed by then. */
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
