import { qrPath } from '@loyalty/ui/qr-path.ts';
import { useMemo } from 'preact/hooks';

/** A QR code. Always dark on white, even on a dark page, because many scanners read nothing else. */
export function QrPicture({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => qrPath(text), [text]);
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
