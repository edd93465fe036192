import { parseArgs } from 'node:util';
import { serveExample } from './site.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '5173' },
    gateway: { type: 'string', default: 'http://127.0.0.1:8080' },
    key: { type: 'string', default: '' },
  },
});
const { url } = await serveExample({ port: Number(values.port), gatewayUrl: values.gateway, key: values.key });
console.log(`The example is at ${url} and uses the gateway at ${values.gateway}.`);
