import { useState } from "preact/hooks";
import { get } from "../lib/api.ts";
import { useLoaded } from "../lib/store.ts";
import { Failure, place } from "./bits.tsx";
import { Text } from "./display.tsx";

interface PastFile {
  readonly path: string;
  readonly type: string;
  readonly size?: number;
}

/** The files that a session changes, as they were right after a call. */
export function PastFiles({ id, call }: { readonly id: string; readonly call: string }) {
  const base = `/api/sessions/${id}/calls/${encodeURIComponent(call)}`;
  const files = useLoaded(() => get<{ files: readonly PastFile[] }>(`${base}/files`), [base]);
  const [path, setPath] = useState<string>();
  return (
    <section>
      <h2>Files at that time</h2>
      <Failure error={files.error} />
      {files.data?.files.length === 0 && <p class="dim">The session changes no files.</p>}
      <ul class="files">
        {files.data?.files.map((file) => (
          <li key={file.path}>
            <button
              type="button"
              class="link"
              aria-expanded={path === file.path}
              onClick={() => setPath(path === file.path ? undefined : file.path)}
            >
              {place(file.path)}
            </button>{" "}
            <span class="dim">
              {file.type === "none"
                ? "does not exist yet"
                : file.type === "file"
                  ? `${file.size?.toLocaleString("en")} bytes`
                  : file.type}
            </span>
            {path === file.path && <Content address={`${base}/file?path=${encodeURIComponent(file.path)}`} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Content({ address }: { readonly address: string }) {
  const { data, error } = useLoaded(() => get<{ text?: string; why?: string }>(address), [address]);
  return (
    <>
      <Failure error={error} />
      {data?.text !== undefined ? <Text text={data.text} /> : <p class="dim">{data?.why}</p>}
    </>
  );
}
