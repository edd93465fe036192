export { readSlackChallenge } from './kinds/slack.ts';
export { repeatKeyOfKind, findSignatureKind, type SignatureKindName, signatureKinds, SignatureSpec } from './kinds.ts';
export type { Claim, SignatureKind } from './signature-kind.ts';
export { setupOfHeader, setupOfKind, type SetupStep } from './setup.ts';
export { signedHeaders } from './sign.ts';
export { readClaim, verifyClaim } from './verify.ts';
