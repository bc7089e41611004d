import type { Haft } from "../../app/haft.ts";
import type { McpContent } from "./content.ts";

/** The resource subscriptions of one client. */
export interface Follows {
  has(uri: string): boolean;
  /** `false`: changes are not reported, or not to this client. Each start needs an end. */
  start(uri: string): Promise<boolean>;
  end(uri: string): void;
  /** Ends all. */
  close(): void;
}

/** Maximum resources to which one client may subscribe at once. */
const MOST = 1_000;

export function createFollows({ follow, watch }: Pick<McpContent, "follow" | "watch">, haft: Haft): Follows {
  const followed = new Map<string, { count: number; end(): void }>();
  let asking = 0;
  let isClosed = false;

  /** Content that reports every change needs no single subscriptions. */
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

/** The resources to which a request of the newer protocol subscribes; `undefined` for any other request. */
export function listenedIn(message: unknown): readonly string[] | undefined {
  const { method, params } = (message ?? {}) as ListenRequest;
  const uris = method === "subscriptions/listen" ? params?.notifications?.resourceSubscriptions : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string").slice(0, MOST) : undefined;
}

interface ListenRequest {
  readonly method?: unknown;
  readonly params?: { readonly notifications?: { readonly resourceSubscriptions?: unknown } };
}
