import { useEffect, useState } from "preact/hooks";

/** A value that parts of the page follow. */
export class Store<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The present value of a store; the part is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, redraw] = useState(0);
  const { value } = store;
  useEffect(() => {
    const draw = (): void => redraw((count) => count + 1);
    // It may have changed between the drawing and now.
    if (!Object.is(store.value, value)) draw();
    return store.on(draw);
  }, [store]);
  return value;
}

/** Something that is loaded, with the reason if it could not be. */
export interface Loaded<T> {
  readonly data?: T;
  readonly error?: string;
  readonly reload: () => void;
}

/** Loads data when the part appears and whenever one of the keys changes. */
export function useLoaded<T>(load: () => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: string }>({});
  const [count, setCount] = useState(0);
  useEffect(() => {
    let isOver = false;
    load().then(
      (data) => isOver || setState({ data }),
      (error: Error) => isOver || setState((before) => ({ ...before, error: error.message })),
    );
    return () => {
      isOver = true;
    };
  }, [...keys, count]);
  return { ...state, reload: () => setCount((before) => before + 1) };
}

/** Calls a function again and again while the part is on a page that somebody looks at. */
export function useRepeated(work: () => void, ms: number): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || work(), ms);
    return () => clearInterval(timer);
  }, []);
}
