/** An error that the server explains. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  }).catch(() => {
    throw new ApiError(0, "offline", "The server cannot be reached.");
  });
  const data = (await response.json().catch(() => ({}))) as {
    error?: { code?: string; message?: string; hint?: string };
  };
  if (response.ok) return data as T;
  const { code = "failed", message = `The server answered ${response.status}.`, hint } = data.error ?? {};
  throw new ApiError(response.status, code, hint === undefined ? message : `${message} ${hint}`);
}

export const get = <T>(path: string): Promise<T> => request<T>("GET", path);
export const post = <T>(path: string, body: unknown = {}): Promise<T> => request<T>("POST", path, body);
export const put = <T>(path: string, body: unknown): Promise<T> => request<T>("PUT", path, body);

/** Shows a token to the server once; from then on a cookie, which no script can read, stands for it. */
export async function logInFromAddress(): Promise<void> {
  const token = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
  if (token === undefined) return;
  // The token leaves the address bar and the history before anything else happens.
  const page = /&page=(\/[\w/-]*)/.exec(location.hash)?.[1] ?? "/";
  history.replaceState(null, "", `#${page}`);
  await post("/api/login", { token: decodeURIComponent(token) });
}
