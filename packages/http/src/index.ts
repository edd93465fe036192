export { type Admission, limitedBy, tooMany } from './limits/admission.ts';
export { createApi } from './api.ts';
export { acceptsStream } from './responses/accepts-stream.ts';
export { type Authenticate, type Authorize, byApiKey, byScope, partyOfKey, requireScope } from './authenticate.ts';
export { getExchange } from './exchange/begin-exchange.ts';
export { bodyBytesMax, bodyReader, readArrived, unpackArrived } from './body/body.ts';
export { errorResponseFor } from './responses/error-response.ts';
export { explainBrokenId } from './responses/broken-id.ts';
export { parseIfMatch } from './responses/etag.ts';
export { RequestTimeoutError } from './body/body-rate.ts';
export { ByteBudget, type HeldBytes } from './limits/byte-budget.ts';
export { type Exchange, sendJson, sendText, sendTimeout } from './exchange/exchange.ts';
export { addHealth } from './server/health.ts';
export type { Handler, HandlerContext } from './handler.ts';
export type { Handlers } from './operation-route.ts';
export { readClientIp, toClientSite } from './exchange/client-ip.ts';
export { createIpReader } from './exchange/logged-ip.ts';
export { readLargeJson } from './body/parse-json.ts';
export { loopTurns } from './limits/loop-turns.ts';
export { drainBytesMax, drainMaxMs } from './body/drain.ts';
export {
  type ErrorFormat,
  protocolResponse,
  protocolResponseBytes,
  type ProtocolStatus,
  protocolStatus,
} from './responses/protocol-error.ts';
export { readRequestId } from './exchange/request-id.ts';
export { ShutdownState, serve } from './server/server.ts';
export { type BuiltFiles, findBuiltFiles, type FoundFiles, readBuiltFiles, sendFile } from './server/built-files.ts';
export { addPage, createServiceApp, refuseMethod, type ServiceAppOptions } from './server/service-app.ts';
export { SerializedJson } from './responses/serialized-json.ts';
export { StreamedResponse } from './responses/streamed-response.ts';
export { SharedLimit } from './limits/shared-limit.ts';
export { UnreadResponses } from './limits/unread-responses.ts';
export { EventStream, type EventStreamOptions } from './streams/event-stream.ts';
export { StreamSlots } from './streams/stream-slots.ts';
