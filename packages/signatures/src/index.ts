export { setupOfHeader } from './header-setup.ts';
export type { OptionText, Sample, SenderKind, SetupStep } from './kind.ts';
export {
  describeKind,
  findSignatureKind,
  type OptionField,
  type SignatureKindName,
  signatureKinds,
  SignatureSpec,
} from './kinds.ts';
export type { Claim } from './scheme.ts';
export { signedHeaders } from './sign.ts';
export { type ClaimReading, readClaim, verifyClaim } from './verify.ts';
