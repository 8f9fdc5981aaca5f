import type { Piece } from './sentence.ts';

/** A sentence with what the owner chose in bold. */
export function SentenceLine({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <p className="rule-sentence">
      {pieces.map(([before, chosen, after = ''], at) => (
        <span key={at}>
          {at > 0 && ' '}
          {before}
          <b>{chosen}</b>
          {after}
        </span>
      ))}
    </p>
  );
}
