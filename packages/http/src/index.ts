export { type Admission, limitedBy, tooMany } from './admission.ts';
export { createApi } from './api.ts';
export { byApiKey } from './authenticate.ts';
export { exchangeOf } from './begin-exchange.ts';
export { bodyBytesMax, bodyReader } from './body.ts';
export { answerFor } from './error-answer.ts';
export { RequestTimeoutError } from './body-pace.ts';
export { ByteBudget, type HeldBytes } from './byte-budget.ts';
export { type Exchange, sendJson, sendTimeout } from './exchange.ts';
export { addHealth } from './health.ts';
export type { HandlerContext, Handlers } from './operation-route.ts';
export { clientIpOf, clientSiteOf } from './client-ip.ts';
export { loopTurns } from './loop-turns.ts';
export { drainBytesMax, drainMaxMs } from './drain.ts';
export {
  type ErrorManner,
  protocolAnswer,
  protocolAnswerBytes,
  type ProtocolStatus,
  protocolStatusOf,
} from './protocol-error.ts';
export { requestIdOf } from './request-id.ts';
export { Draining, serve } from './server.ts';
export { addPage, createServiceApp, type ServiceAppOptions } from './service-app.ts';
export { SerializedJson } from './serialized-json.ts';
export { StreamedAnswer } from './streamed-answer.ts';
export { SharedLimit } from './shared-limit.ts';
export { UnreadAnswers } from './unread-answers.ts';
