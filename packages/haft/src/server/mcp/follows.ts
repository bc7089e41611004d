import type { Haft } from "../../app/haft.ts";
import type { McpContent } from "./content.ts";

/** The resources of which one client wants to hear. */
export interface Follows {
  has(uri: string): boolean;
  /** `false`: nobody here tells of its changes, or not this client. Each start has its end. */
  start(uri: string): Promise<boolean>;
  end(uri: string): void;
  /** Ends all. */
  close(): void;
}

/** Resources that one client may follow at once. */
const MOST = 1_000;

export function createFollows({ follow, watch }: Pick<McpContent, "follow" | "watch">, haft: Haft): Follows {
  const followed = new Map<string, { count: number; end(): void }>();
  let asking = 0;
  let isClosed = false;

  /** Who tells of every change need not be asked for single ones. */
  const ask = async (uri: string) => (follow ? follow(uri, haft) : watch && (() => {}));

  return {
    has: (uri) => followed.has(uri),
    async start(uri) {
      if (!followed.has(uri) && followed.size + asking >= MOST) return false;
      asking += 1;
      const end = await ask(uri).finally(() => {
        asking -= 1;
      });
      if (!end || isClosed) {
        end?.();
        return false;
      }
      const known = followed.get(uri);
      if (known) {
        known.count += 1;
        end();
      } else followed.set(uri, { count: 1, end });
      return true;
    },
    end(uri) {
      const known = followed.get(uri);
      if (!known || --known.count > 0) return;
      followed.delete(uri);
      known.end();
    },
    close() {
      isClosed = true;
      for (const { end } of followed.values()) end();
      followed.clear();
    },
  };
}

/** The resources that a request of the newer protocol wants to hear of; `undefined`: it is no such request. */
export function listenedIn(message: unknown): readonly string[] | undefined {
  const { method, params } = (message ?? {}) as ListenRequest;
  const uris = method === "subscriptions/listen" ? params?.notifications?.resourceSubscriptions : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string").slice(0, MOST) : undefined;
}

interface ListenRequest {
  readonly method?: unknown;
  readonly params?: { readonly notifications?: { readonly resourceSubscriptions?: unknown } };
}
