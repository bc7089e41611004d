/** What has begun and not ended. */
export interface Underway<T> {
  enter(item: T): Begun<T>;
  leave(begun: Begun<T>): void;
  all(): readonly T[];
  /** Resolves as soon as there is nothing. */
  emptied(): Promise<void>;
}

export interface Begun<T> {
  readonly item: T;
  /** Where it stands among the others. */
  place: number;
}

/** In no order, and in a list: a map that is filled and emptied for ever keeps what it once held alive for long. */
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
