import type { LanguageModelV4 } from '@ai-sdk/provider';

/** A model as the SDK takes it, of which nothing but streams is ever asked. */
export function streamingModel(
  name: Pick<LanguageModelV4, 'provider' | 'modelId'>,
  doStream: LanguageModelV4['doStream'],
): LanguageModelV4 {
  const { provider, modelId } = name;
  const doGenerate = () => Promise.reject(new Error('Answers are streamed.'));
  return { specificationVersion: 'v4', provider, modelId, supportedUrls: {}, doGenerate, doStream };
}
