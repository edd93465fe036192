export { didYouMean } from '@relata/schemas';
