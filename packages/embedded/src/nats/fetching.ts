/** Context for a source of the program. */
export interface Fetching {
  /** An empty folder that is deleted afterwards. */
  workDir: string;
  onProgress: (line: string) => void;
  signal: AbortSignal | undefined;
}
