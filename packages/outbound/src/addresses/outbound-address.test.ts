import { expect, test } from 'vitest';
import { fixedResolver, outboundWith, serve } from '../outbound.harness.ts';

const refused = expect.objectContaining({ name: 'OutboundError', code: 'refused_address', isRetryable: false });

const hello = () => serve((_request, response) => response.end('hello'));

test.each(['127.0.0.1', '127.1', '0x7f.1', '2130706433', '017700000001', '127.0.0.1.', 'localhost', 'LOCALHOST', '0'])(
  'the local machine cannot be reached as %s',
  async (host) => {
    const stranger = await hello();
    await expect(outboundWith('')(`http://${host}:${stranger.port}/`)).rejects.toEqual(refused);
    expect(stranger.connections).toBe(0);
  },
);

test.each([
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[::]',
  '169.254.169.254',
  '10.0.0.1',
])('the host %s is refused', async (host) => {
  await expect(outboundWith('')(`http://${host}/latest/meta-data`)).rejects.toEqual(refused);
});

test('an allowed address can be reached in any spelling and under any name', async () => {
  const stranger = await hello();
  const ask = outboundWith('127.0.0.0/8', fixedResolver('127.0.0.1'));
  const responses = await Promise.all(
    ['127.0.0.1', '127.1', '0x7f000001', 'crm.example'].map((host) => ask(`http://${host}:${stranger.port}/`)),
  );
  expect(responses.map(({ body }) => body)).toEqual(Array(4).fill('hello'));
});

test('an allowed name may have a private address, but another name with that address may not', async () => {
  const stranger = await hello();
  const ask = outboundWith('crm.internal', fixedResolver('127.0.0.1'));
  expect(await ask(`http://CRM.internal.:${stranger.port}/`)).toMatchObject({ status: 200, body: 'hello' });
  await expect(ask(`http://other.internal:${stranger.port}/`)).rejects.toEqual(refused);
  await expect(ask(`http://127.0.0.1:${stranger.port}/`)).rejects.toEqual(refused);
});

test('an entry with a port allows only that port', async () => {
  const [allowed, other] = await Promise.all([hello(), hello()]);
  const ask = outboundWith(`127.0.0.1:${allowed.port}`);
  expect(await ask(allowed.url)).toMatchObject({ status: 200 });
  await expect(ask(other.url)).rejects.toEqual(refused);
});

test.each([
  ['93.184.215.14', '10.0.0.1'],
  ['127.0.0.1', '93.184.215.14'],
  ['2606:4700::1', '::1'],
  ['93.184.215.14', '::ffff:10.0.0.1'],
])('a name with the addresses %s and %s is refused because one is private', async (...addresses) => {
  const error: unknown = await outboundWith('', fixedResolver(...addresses))('http://crm.example/').catch((e) => e);
  expect(error).toEqual(refused);
  expect((error as Error).message).toBe(
    'crm.example is not on the public internet. To allow it, add it to OUTBOUND_ALLOW.',
  );
});

test('a name is looked up once, and the connection is made to the resolved address', async () => {
  const stranger = await serve((request, response) => response.end(request.headers.host));
  const resolve = fixedResolver('127.0.0.1');
  const { body } = await outboundWith('127.0.0.1', resolve)(`http://rebinding.example:${stranger.port}/`);
  expect(body).toBe(`rebinding.example:${stranger.port}`);
  expect(resolve.asked).toEqual(['rebinding.example']);
});

test('the second address is tried if the first does not answer', async () => {
  const stranger = await hello();
  const ask = outboundWith('127.0.0.0/8', fixedResolver('127.0.0.2', '127.0.0.1'));
  expect(await ask(`http://two.example:${stranger.port}/`)).toMatchObject({ body: 'hello' });
});

test.each(['http://127.0.0.2:PORT/', 'http://localhost:PORT/', 'http://0x7f000002:PORT/', '//[::1]:PORT/'])(
  'a redirect to %s is checked like a request',
  async (pattern) => {
    const inside = await serve((_request, response) => response.end('inside'), '127.0.0.2');
    const location = pattern.replace('PORT', String(inside.port));
    const outside = await serve((_request, response) => response.writeHead(302, { location }).end());
    await expect(outboundWith('127.0.0.1:' + outside.port)(outside.url)).rejects.toEqual(refused);
    expect(inside.connections).toBe(0);
  },
);

test('a name is resolved again when a redirect leads back to it', async () => {
  const stranger = await serve((_request, response) => response.writeHead(302, { location: '/again' }).end());
  const addresses = ['127.0.0.1', '127.0.0.2'];
  const resolve = () => Promise.resolve([{ address: addresses.shift()!, family: 4 }]);
  await expect(outboundWith('127.0.0.1', resolve)(`http://rebinding.example:${stranger.port}/`)).rejects.toEqual(
    refused,
  );
  expect(stranger.connections).toBe(1);
});

test('a name that is not found or has no address is retryable', async () => {
  const later = expect.objectContaining({ code: 'connection', isRetryable: true });
  await expect(outboundWith('', fixedResolver())('http://nowhere.example/')).rejects.toEqual(later);
  const notFound = () => Promise.reject(Object.assign(new Error('10.0.0.53 said no'), { code: 'ENOTFOUND' }));
  await expect(outboundWith('', notFound)('http://nowhere.example/')).rejects.toThrow(
    /^nowhere\.example could not be reached \(ENOTFOUND\)\.$/,
  );
});
