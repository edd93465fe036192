/** What a source of the program works with. */
export interface Fetching {
  /** An empty folder that is deleted afterwards. */
  workDir: string;
  onProgress: (line: string) => void;
  signal: AbortSignal | undefined;
}
