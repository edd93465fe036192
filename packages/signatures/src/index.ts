export { setupOfHeader } from './header-setup.ts';
export type { SecretReading } from './carrier.ts';
export { type KindOption, listOptions } from './kind-options.ts';
export type { UnsignedKind, Sample, SenderKind, SetupStep, SignedKind } from './kind.ts';
export {
  describeKind,
  findSignatureKind,
  type OptionField,
  type SignedKindName,
  type SignatureKindName,
  signatureKinds,
  SignatureSpec,
} from './kinds.ts';
export type { ParsedSignature, SignedRequest } from './scheme.ts';
export { signPost } from './sign.ts';
export { recognizeMakers } from './recognize-makers.ts';
export { type SignatureFault, parseSignature, toleranceMs, verifySignature } from './verify.ts';
