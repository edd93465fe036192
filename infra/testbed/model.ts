import type { Program } from './program.ts';

export interface ModelScript {
  firstMs: number;
  tokens: number;
  /** Average delay between two tokens. With 0, all tokens are sent together. */
  gapMs: number;
}

export const modelFile = new URL('./model.worker.ts', import.meta.url);

/** Returns the value for `OPENAI_BASE_URL`. */
export function modelUrl({ url }: Program): string {
  return `${url}/v1`;
}

/** Sets the script of the model for new answers. Active answers continue with their script. */
export async function follow({ url }: Program, script: ModelScript): Promise<void> {
  const response = await fetch(`${url}/script`, { method: 'PUT', body: JSON.stringify(script) });
  if (response.status !== 204)
    throw new Error(`The stand-in for the model did not accept its script: status ${response.status}`);
}
