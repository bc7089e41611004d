/** The keys and channels of one queue in Redis. */
export interface Names {
  /** Prefix of BullMQ's own keys. */
  readonly prefix: string;
  /** The set of the ids of workers. */
  readonly workers: string;
  /** Facts about a worker. It expires when the worker stops to beat. */
  worker(id: string): string;
  /** Set once, by the worker that starts an attempt (`ID JOURNAL`) or by the host that withdraws it. */
  started(job: string): string;
  /** The signed result of an attempt. */
  result(job: string): string;
  policy(digest: string): string;
  /** The log of what happens, a stream. */
  readonly events: string;
  /** Channel for answers to a session. */
  reply(session: string): string;
  /** Channel for orders to a worker. */
  orders(worker: string): string;
  /** The host that has a session open. */
  session(id: string): string;
  locks(workspace: string): string;
  slots(name: string): string;
}

/** The names of the queue `queue`. */
export function namesOf(queue: string): Names {
  const base = `haft:${queue}`;
  return {
    prefix: `${base}:bull`,
    workers: `${base}:workers`,
    worker: (id) => `${base}:worker:${id}`,
    started: (job) => `${base}:started:${job}`,
    result: (job) => `${base}:result:${job}`,
    events: `${base}:events`,
    policy: (digest) => `${base}:policy:${digest}`,
    reply: (session) => `${base}:reply:${session}`,
    orders: (worker) => `${base}:orders:${worker}`,
    session: (id) => `${base}:session:${id}`,
    locks: (workspace) => `${base}:locks:${workspace}`,
    slots: (name) => `${base}:slots:${name}`,
  };
}
