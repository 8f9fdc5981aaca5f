export default function Camera(_camera: {
  onRead: (code: string) => void;
  onClose: () => void;
  onType: () => void;
}) {
  return null;
}
