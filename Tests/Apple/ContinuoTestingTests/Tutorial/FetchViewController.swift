import Continuo

/// "Background Fetch", in today's Swift.
class FetchViewController: UIViewController {
  var time: Date?
  let updateLabel = UILabel()

  func fetch(_ completion: () -> Void) {
    time = Date()
    completion()
  }

  func updateUI() {
    if let time = time {
      let formatter = DateFormatter()
      formatter.dateStyle = .short
      formatter.timeStyle = .long
      updateLabel.text = formatter.string(from: time)
    } else {
      updateLabel.text = "Not yet updated"
    }
  }

  override func viewDidLoad() {
    super.viewDidLoad()
    updateUI()
  }

  func didTapUpdate(_ sender: UIButton) {
    fetch { self.updateUI() }
  }
}

class AppDelegate: UIResponder, UIApplicationDelegate {
  var viewControllers: [UIViewController] = []

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    UIApplication.shared.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
    return true
  }

  // Support for background fetch
  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  ) {
    for viewController in viewControllers {
      if let fetchViewController = viewController as? FetchViewController {
        fetchViewController.fetch {
          fetchViewController.updateUI()
          completionHandler(.newData)
        }
      }
    }
  }
}
