/** The set of started calls that have not ended. */
export interface Underway<T> {
  enter(item: T): Begun<T>;
  leave(begun: Begun<T>): void;
  all(): readonly T[];
  /** Resolves as soon as the set is empty. */
  emptied(): Promise<void>;
}

export interface Begun<T> {
  readonly item: T;
  /** Its index in the list. */
  place: number;
}

/** An unordered list. A map that is filled and emptied for ever would keep old entries alive for long. */
export function createUnderway<T>(): Underway<T> {
  const list: Begun<T>[] = [];
  let empty: PromiseWithResolvers<void> | undefined;
  return {
    enter(item) {
      const begun = { item, place: list.length };
      list.push(begun);
      return begun;
    },
    leave(begun) {
      const last = list.pop()!;
      if (last !== begun) {
        list[begun.place] = last;
        last.place = begun.place;
      }
      if (list.length === 0) empty?.resolve();
    },
    all: () => list.map(({ item }) => item),
    emptied() {
      if (list.length === 0) return Promise.resolve();
      empty ??= Promise.withResolvers();
      return empty.promise;
    },
  };
}
