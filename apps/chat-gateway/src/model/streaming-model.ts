import type { LanguageModelV4 } from '@ai-sdk/provider';

/** Creates a model of the SDK that supports only streams. */
export function streamingModel(
  name: Pick<LanguageModelV4, 'provider' | 'modelId'>,
  doStream: LanguageModelV4['doStream'],
): LanguageModelV4 {
  const { provider, modelId } = name;
  const doGenerate = () => Promise.reject(new Error('Answers are streamed.'));
  return { specificationVersion: 'v4', provider, modelId, supportedUrls: {}, doGenerate, doStream };
}
