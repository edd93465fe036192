export {
  type DemoRequest,
  type DemoRequestError,
  findDemoRequest,
  findDemoRequestOrganization,
  listAllDemoRequests,
  listDemoRequests,
  storeDemoRequest,
} from './demo-request.sql.ts';
export { type Forwarded, forwardDemoRequest } from './forward-demo-request.ts';
export { resendDemoRequest, resendUnsent, type Resent } from './resend.operations.ts';
