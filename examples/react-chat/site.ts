import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

export interface SiteOptions {
  /** Port to listen on; 0 chooses a free port. */
  port: number;
  gatewayUrl: string;
  /** A publishable key for this site's origin. */
  key: string;
}

/** Builds the example and serves it. */
export async function serveExample({ port, ...gateway }: SiteOptions) {
  const files: Record<string, { type: string; body: string }> = {
    '/': { type: 'text/html', body: page(gateway) },
    '/chat.js': { type: 'text/javascript', body: await (built ??= bundle()) },
  };
  const server = createServer(({ url = '' }, response) => {
    const file = files[url];
    if (!file) return void response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': `${file.type}; charset=utf-8` }).end(file.body);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.close().closeAllConnections();
    await once(server, 'close');
  };
  return { url, [Symbol.asyncDispose]: close };
}

function page({ gatewayUrl, key }: Pick<SiteOptions, 'gatewayUrl' | 'key'>): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Relata chat with React</title>
<link rel="icon" href="data:,">
<div id="chat" data-url="${escape(gatewayUrl)}" data-key="${escape(key)}"></div>
<script type="module" src="/chat.js"></script>
</html>
`;
}

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** The script, which is the same for every site of this process. */
let built: Promise<string> | undefined;

async function bundle(): Promise<string> {
  await using build = await rolldown({
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    input: 'src/main.tsx',
    platform: 'browser',
    // Ignores warnings about the directive `use client`, which marks modules for browsers: all code here is for
    // browsers.
    onLog: (level, log, handle) => log.code === 'MODULE_LEVEL_DIRECTIVE' || handle(level, log),
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic' }, define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await build.generate({ format: 'esm', minify: true });
  return output[0].code;
}
